// Begin and end of recording: MPI_Init, MPI_Finalize and fork().
#include <fmt/format.h>
#include <mpi.h>
#include <pthread.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/mpi/internal/preloaded.hpp>
#include <plimsoll/mpi/internal/roll_call.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>
#include <plimsoll/support/output_file.hpp>

#include "mpi_calls/lifecycle/collect_calls.hpp"
#include "mpi_calls/recording/members.hpp"
#include "mpi_calls/recording/persistent_requests.hpp"
#include "mpi_calls/recording/rank_calls.hpp"
#include "mpi_calls/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi_calls {

using collectives::Evidence;
using detail::State;
using support::say;

namespace {

/// State of this process between MPI_Init and MPI_Finalize.
struct Process {
  MPI_Comm comm = MPI_COMM_NULL;  ///< private communicator
  collectives::ProfilingOptions options;
  std::string run;   ///< name of this run; empty on ranks other than 0
  std::string path;  ///< of the file that rank 0 writes
};
Process process;

/// The recorded time, which excludes pauses.
struct RecordedTime {
  std::atomic<std::uint64_t> begin_ns = 0;   ///< of the current interval; 0 during a pause
  std::atomic<std::uint64_t> before_ns = 0;  ///< length of the earlier intervals

  void begin() {
    std::uint64_t paused = 0;
    begin_ns.compare_exchange_strong(paused, now_ns());
  }
  void end() {
    if (const std::uint64_t begin = begin_ns.exchange(0); begin != 0) before_ns += now_ns() - begin;
  }
};
RecordedTime recorded_time;

/// Sets the options, with an absolute directory. Returns false if they are invalid, which rank 0 reports.
bool set_options(int rank) {
  try {
    const char* const text = std::getenv(collectives::profiling_options_variable);
    process.options = collectives::parse_profiling_options(text ? text : "");
    const char* const folder = std::getenv(collectives::profiling_folder_variable);
    if (folder && *folder) process.options.folder = folder;
    process.options.folder = std::filesystem::absolute(process.options.folder).lexically_normal().string();
    return true;
  } catch (const std::exception& error) {
    if (rank == 0) say(fmt::format("{}; MPI calls are not recorded", error.what()));
    return false;
  }
}

support::OutputOptions output_options() {
  return {.overwrite = process.options.write.overwrite, .keep_unfinished = false};
}

/// Returns whether rank 0 can write the file at the end, as far as this is known now; else reports why.
bool prepare_file() {
  try {
    process.run = collectives::run_name(mpi::run_id_of_rank_0());
    const std::string folder = collectives::folder_of_run(process.options.folder, process.run);
    if (folder != process.options.folder) process.options.quiet = false;
    process.path = folder + "/" + collectives::mpi_calls_file_name;
    support::OutputFile::check(process.path, output_options());
    return true;
  } catch (const std::exception& error) {
    say(fmt::format("{}; MPI calls are not recorded", error.what()));
    return false;
  }
}

void write_file(const ProgramCalls& calls) {
  collectives::MpiCalls sums = calls.sums();
  sums.run = process.run;
  support::make_folder(std::filesystem::path(process.path).parent_path().string());
  support::OutputFile file(process.path, output_options());
  file.write(collectives::to_json(sums));
  file.close();
  collectives::leave_evidence(Evidence::mpi_calls_written, process.run);
  if (!process.options.quiet) say(fmt::format("MPI calls recorded in {}", process.path));
}

/// Returns the calls of this rank; none if recording has stopped, or for a `problem`. Does not throw, because
/// the other ranks wait.
RankCalls own_calls(State before, std::string& problem) noexcept {
  try {
    if (before == State::running) return calls_of_this_rank(recorded_time.before_ns);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  return {};
}

int at_finalize(MPI_Comm, int, void*, void*) {
  recorded_time.end();
  const State before = detail::state.exchange(State::off);
  if (process.comm == MPI_COMM_NULL) return MPI_SUCCESS;  // forked process
  const support::NoCancellation no_cancellation;
  std::string problem;
  const RankCalls own = own_calls(before, problem);
  mpi::report_of_ranks(process.comm, "cannot record MPI calls", problem);
  try {
    if (const auto calls = collect_calls(process.comm, own)) write_file(*calls);
  } catch (const std::exception& error) {
    say(fmt::format("cannot record MPI calls: {}", error.what()));
  }
  forget_members();
  PMPI_Comm_free(&process.comm);
  return MPI_SUCCESS;
}

/// Stops recording in a forked child: its parent records.
void forget_in_child() {
  detail::state.store(State::off);
  process.comm = MPI_COMM_NULL;
}

__attribute__((constructor)) void at_load() {
  collectives::leave_evidence_of_rank_0(Evidence::loaded);
}

__attribute__((destructor)) void at_exit() {
  if (detail::state.load() == State::running) collectives::leave_evidence(Evidence::not_finalised);
  if (detail::state.load() == State::before_init && mpi::is_mpi_initialised())
    collectives::leave_evidence_of_rank_0(Evidence::unseen_mpi);
}

void start() {
  const bool usable = mpi::is_the_programs_mpi("mpi-calls");
  collectives::leave_evidence_of_rank_0(usable ? Evidence::intercepted : Evidence::other_mpi);
  if (!usable) return;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!set_options(rank)) return;
  const mpi::PrivateWorld world = mpi::private_world("mpi-calls", process.options.folder);
  if (!world.problem.empty()) say(fmt::format("{}; MPI calls are not recorded", world.problem));
  if (world.comm == MPI_COMM_NULL) return;
  process.comm = world.comm;
  int prepared = rank != 0 || prepare_file();
  PMPI_Bcast(&prepared, 1, MPI_INT, 0, process.comm);
  if (!prepared) {
    PMPI_Comm_free(&process.comm);
    return;
  }
  remember_members();
  mpi::call_at_finalize(&at_finalize);
  pthread_atfork(nullptr, nullptr, &forget_in_child);
  recorded_time.begin();
  detail::state.store(State::running, std::memory_order_release);
}

}  // namespace

void stop_recording(std::string_view reason) noexcept {
  detail::state.store(State::off, std::memory_order_release);
  const support::NoCancellation no_cancellation;
  try {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    say(fmt::format("rank {} stops recording MPI calls: {}", rank, reason));
  } catch (...) {  // no further report is possible
  }
}

}  // namespace plimsoll::mpi_calls

namespace plimsoll::PLIMSOLL_ABI::mpi::hooks {

using namespace mpi_calls;
using mpi_calls::detail::State;

void after_mpi_init() noexcept {
  State expected = State::before_init;
  if (!mpi_calls::detail::state.compare_exchange_strong(expected, State::off)) return;
  const support::NoCancellation no_cancellation;
  guarded(start);
}

// The recorded time excludes pauses.
void pcontrol(int level) noexcept {
  if (level < 0 || !running()) return;
  mpi_calls::detail::paused.store(level == 0);
  level == 0 ? recorded_time.end() : recorded_time.begin();
}

void before_request_free(MPI_Request request) noexcept {
  if (running()) guarded([&] { forget_request(request); });
}

}  // namespace plimsoll::mpi::hooks
