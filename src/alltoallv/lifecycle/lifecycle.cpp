// Begin and end of recording: MPI_Init, MPI_Finalize, exit() without MPI_Finalize, and fork().
#include "alltoallv/lifecycle/lifecycle.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/mpi/internal/preloaded.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "alltoallv/lifecycle/collect_logs.hpp"
#include "alltoallv/lifecycle/shared_settings.hpp"
#include "alltoallv/recording/clock_comparison.hpp"
#include "alltoallv/recording/process_recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::alltoallv {

using collectives::Evidence;
using support::say;

namespace {

using detail::State;

/// State of this process. It is never freed because other threads may still use it.
struct Process {
  MPI_Comm comm = MPI_COMM_NULL;  ///< private communicator; MPI_COMM_NULL if MPI_Init was not intercepted
  int rank = 0;
  Options options;
  std::int64_t origin_ns = 0;             ///< time at which rank 0 left MPI_Init, on its clock
  ProcessRecording* recording = nullptr;  ///< null if its log could not be created
};
std::atomic<Process*> process = nullptr;

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::string executable() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

collectives::RankIdentity identity_of(const SharedSettings& settings, const Options& options, int rank) {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return {.run_id = settings.run_id,
          .job = options.job,
          .world_rank = static_cast<std::uint32_t>(rank),
          .world_size = static_cast<std::uint32_t>(size),
          .pid = static_cast<std::uint64_t>(getpid()),
          .host = support::host_name(),
          .program = executable()};
}

/// Returns the options, with the absolute path of the directory; nothing if they are invalid, which rank 0
/// reports.
std::optional<Options> options_of(const SharedSettings& settings, int rank) {
  try {
    Options options = parse_options(settings.variables);
    options.folder = (std::filesystem::path(settings.folder) / options.folder).lexically_normal().string();
    return options;
  } catch (const std::exception& error) {
    if (rank == 0) say(fmt::format("{}; the program runs unprofiled", error.what()));
    return std::nullopt;
  }
}

/// Returns null with the reason in `problem` if the log cannot be created.
ProcessRecording* make_recording(const Options& options, const collectives::RankIdentity& identity,
                                 std::string& problem) {
  try {
    support::make_folder(options.folder);
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return new ProcessRecording(options, identity, level == MPI_THREAD_MULTIPLE);
  } catch (const std::exception& error) {
    problem = error.what();
    return nullptr;
  }
}

void record_clock() {
  if (!process.load()->options.record_times()) return;
  const ClockComparison clock = compare_clocks(process.load()->comm);
  if (ProcessRecording* const recording = process.load()->recording)
    recording->recorder().record_clock(clock.local_ns, clock.offset_ns, clock.error_ns,
                                       process.load()->origin_ns);
}

int at_finalize(MPI_Comm, int, void*, void*) {
  if (!process.load()) return MPI_SUCCESS;  // forked process
  const support::NoCancellation no_cancellation;
  Process& ending = *process;
  detail::state.store(State::off, std::memory_order_release);
  std::string problem;
  // Continue after a failed step, because the other ranks wait for this rank in the next step.
  const auto attempt = [&](auto&& step) {
    try {
      step();
    } catch (const std::exception& error) {
      problem = error.what();
    }
  };
  if (ending.comm != MPI_COMM_NULL) attempt(record_clock);
  if (ending.recording) attempt([&] { ending.recording->finish(true); });
  if (ending.comm != MPI_COMM_NULL) {
    attempt([&] {
      collect_logs(ending.comm, ending.options, ending.recording ? &ending.recording->recorder() : nullptr);
    });
    mpi::report_of_ranks(ending.comm, "failed at the end of the program", problem);
    PMPI_Comm_free(&ending.comm);
  } else if (!problem.empty()) {
    say(fmt::format("rank {} failed at the end of the program: {}", ending.rank, problem));
  }
  if (ending.recording) ending.recording->recorder().release();
  process = nullptr;
  return MPI_SUCCESS;
}

/// Stops using the log in a forked child, because it belongs to the parent.
void forget_in_child() {
  detail::state.store(State::off);
  Process* const parents = process.exchange(nullptr);
  if (parents && parents->recording) parents->recording->recorder().leave_to_parent();
}

__attribute__((constructor)) void at_load() {
  collectives::leave_evidence_of_rank_0(Evidence::loaded);
}

/// Runs at exit(), after the program's own exit handlers.
__attribute__((destructor)) void at_exit() {
  if (detail::state.load() == State::before_init && mpi::is_mpi_initialised())
    collectives::leave_evidence_of_rank_0(Evidence::unseen_mpi);
  Process* const ending = process.load();
  if (!ending || !ending->recording) return;
  const support::NoCancellation no_cancellation;
  collectives::leave_evidence(Evidence::not_finalised);
  detail::state.store(State::off, std::memory_order_release);
  try {
    ending->recording->finish(false);
  } catch (const std::exception&) {  // data already in the log are kept
  }
}

void start(MPI_Comm comm, const SharedSettings& settings) {
  const int rank = world_rank();
  const auto options = options_of(settings, rank);
  if (!options) {
    if (comm != MPI_COMM_NULL) PMPI_Comm_free(&comm);
    return;
  }
  if (rank == 0 && !options->quiet)
    for (const std::string& note : options->notes) say(note);
  auto* const starting = new Process{.comm = comm, .rank = rank, .options = *options};
  if (rank == 0 || comm == MPI_COMM_NULL)
    collectives::leave_evidence_of_run(collectives::run_name(settings.run_id));
  std::string problem;
  starting->recording = make_recording(*options, identity_of(settings, *options, rank), problem);
  if (comm != MPI_COMM_NULL)
    mpi::report_of_ranks(comm, "cannot be recorded", problem);
  else if (rank == 0 && !problem.empty())  // other ranks probably have the same problem
    say(fmt::format("rank 0 cannot be recorded: {}", problem));
  process = starting;
  mpi::call_at_finalize(&at_finalize);
  pthread_atfork(nullptr, nullptr, &forget_in_child);
  if (comm != MPI_COMM_NULL && options->record_times()) {
    starting->origin_ns = static_cast<std::int64_t>(now_ns());
    PMPI_Bcast(&starting->origin_ns, 1, MPI_INT64_T, 0, comm);
    record_clock();
  }
  if (starting->recording) detail::state.store(State::recording, std::memory_order_release);
}

bool is_usable() {
  const bool usable = mpi::is_the_programs_mpi("alltoallv");
  collectives::leave_evidence_of_rank_0(usable ? Evidence::intercepted : Evidence::other_mpi);
  return usable;
}

/// Starts with the settings of rank 0. If ranks lack this library, each rank uses its own settings and keeps
/// its log at the end. `plimsoll profile` (option quiet) then reports what the logs contain.
void start_together() {
  const SharedSettings own = own_settings();
  const auto options = options_of(own, world_rank());
  if (!options) return;
  const mpi::PrivateWorld world = mpi::private_world("alltoallv", options->folder);
  start(world.comm, world.comm == MPI_COMM_NULL ? own : agreed_settings(world.comm));
  if (!world.problem.empty() && current_recording())
    say(fmt::format("{}; the logs of the other ranks are kept{}", world.problem,
                    options->quiet ? "" : "; " + how_to_merge(*options)));
}

}  // namespace

bool detail::start_late() noexcept {
  int initialized = 0;
  int finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized || finalized) return false;
  State expected = State::before_init;
  const support::NoCancellation no_cancellation;
  if (detail::state.compare_exchange_strong(expected, State::off)) try {
      if (is_usable()) start(MPI_COMM_NULL, own_settings());
    } catch (const std::exception& error) {
      stop_recording(error.what());
    }
  return detail::state.load(std::memory_order_acquire) == State::recording;
}

ProcessRecording* current_recording() {
  Process* const current = process.load(std::memory_order_acquire);
  return current ? current->recording : nullptr;
}

void stop_recording(std::string_view reason) noexcept {
  detail::state.store(State::off, std::memory_order_release);
  const support::NoCancellation no_cancellation;
  try {
    say(fmt::format("rank {} stops recording: {}", world_rank(), reason));
  } catch (...) {  // no further report is possible
  }
}

}  // namespace plimsoll::alltoallv

namespace plimsoll::PLIMSOLL_ABI::mpi::hooks {

using namespace alltoallv;
using alltoallv::detail::State;

void after_mpi_init() noexcept {
  State expected = State::before_init;
  if (!alltoallv::detail::state.compare_exchange_strong(expected, State::off)) return;
  const support::NoCancellation no_cancellation;
  try {
    if (is_usable()) start_together();
  } catch (const std::exception& error) {
    stop_recording(error.what());
  }
}

void pcontrol(int level) noexcept {
  if (level >= 0) pause_recording(level == 0);
}

void before_request_free(MPI_Request request) noexcept {
  if (requests_remembered() || requests_open()) forget_request(request);
}

}  // namespace plimsoll::mpi::hooks
