// Begin and end of recording: MPI_Init, MPI_Finalize, exit() without MPI_Finalize, and fork().
#include "interpose/lifecycle/lifecycle.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "interpose/counts/collect_logs.hpp"
#include "interpose/counts/counts_sink.hpp"
#include "interpose/handles/communicators.hpp"
#include "interpose/handles/persistent_requests.hpp"
#include "interpose/lifecycle/private_world.hpp"
#include "interpose/lifecycle/program_mpi.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/lifecycle/run.hpp"
#include "interpose/lifecycle/shared_settings.hpp"
#include "interpose/parts/run_parts.hpp"
#include "interpose/path/path_sink.hpp"
#include "interpose/sums/sums_sink.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::Evidence;
using support::say;

namespace {

/// The run of this process from MPI_Init to MPI_Finalize; null in forked processes. It is never freed
/// because other threads may still use it.
std::atomic<Run*> current_run = nullptr;

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
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

/// Lets MPI_Finalize call a function first, in any language of the program: as MPI defines, it deletes the
/// attributes of MPI_COMM_SELF before anything else.
void call_at_finalize(MPI_Comm_delete_attr_function* function) {
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);
}

int at_finalize(MPI_Comm, int, void*, void*) {
  const ActiveSinks sinks(detail::active_sinks.exchange(0));
  Run* const run = current_run.exchange(nullptr);
  if (!run) return MPI_SUCCESS;  // forked process
  const support::NoCancellation no_cancellation;
  finish_sums(*run, sinks.has(Sink::sums));
  if (run->options.records_collectives()) finish_counts(*run);
  forget_requests();
  forget_handles();
  if (run->communicates()) PMPI_Comm_free(&run->comm);
  return MPI_SUCCESS;
}

/// Stops recording in a forked child: its parent records.
void forget_in_child() {
  detail::active_sinks.store(0);
  if (!current_run.exchange(nullptr)) return;
  leave_counts_to_parent();
  leave_sums_to_parent();
}

__attribute__((constructor)) void at_load() {
  collectives::leave_evidence_of_rank_0(Evidence::loaded);
}

/// Runs at exit(), after the program's own exit handlers.
__attribute__((destructor)) void at_exit() {
  const std::uint8_t before = detail::active_sinks.exchange(0);
  if (before == detail::before_init && is_mpi_initialised())
    collectives::leave_evidence_of_rank_0(Evidence::unseen_mpi);
  const support::NoCancellation no_cancellation;
  const bool has_log = current_run.load() && abandon_counts();
  if (ActiveSinks(before).has(Sink::sums)) abandon_sums();
  if (has_log || ActiveSinks(before).has(Sink::sums)) collectives::leave_evidence(Evidence::not_finalised);
}

/// Starts the sinks that the options select.
void start(const Run& run) {
  if (run.rank == 0 && !run.options.quiet)
    for (const std::string& note : run.options.notes) say(note);
  current_run = new Run(run);
  remember_handles();
  call_at_finalize(&at_finalize);
  pthread_atfork(nullptr, nullptr, &forget_in_child);
  ActiveSinks sinks;
  if (run.options.records_collectives() && start_counts(run)) sinks.add(Sink::counts);
  if (run.options.mpi && run.communicates() && start_sums(run)) {
    sinks.add(Sink::sums);
    sinks.add(current_path() ? Sink::path : Sink::arrivals);
  }
  detail::active_sinks.store(sinks.bits(), std::memory_order_release);
}

bool is_usable() {
  const bool usable = is_the_programs_mpi();
  collectives::leave_evidence_of_rank_0(usable ? Evidence::intercepted : Evidence::other_mpi);
  return usable;
}

/// Reports that ranks lack this library.
void say_incomplete(const std::string& problem, const Options& options) {
  if (problem.empty()) return;
  if (options.mpi) say(fmt::format("{}; MPI calls are not recorded", problem));
  if (active_sinks().has(Sink::counts))
    say(fmt::format("{}; the logs of the other ranks are kept{}", problem,
                    options.quiet ? "" : "; " + how_to_merge(options)));
}

/// Starts with the settings of rank 0. If ranks lack this library, each rank uses its own settings, and keeps
/// its log at the end. `plimsoll profile` (option quiet) then reports what the logs contain.
void start_together() {
  SharedSettings settings = own_settings();
  const int rank = world_rank();
  auto options = options_of(settings, rank);
  if (!options) return;
  PrivateWorld world = private_world(options->folder);
  if (world.comm != MPI_COMM_NULL) {
    settings = agreed_settings(world.comm);
    options = options_of(settings, rank);
    if (!options) {
      PMPI_Comm_free(&world.comm);
      return;
    }
  }
  start({.comm = world.comm, .rank = rank, .id = settings.run_id, .options = *options});
  say_incomplete(world.problem, *options);
}

/// Starts in the first recorded call. Only counts can start without the other ranks.
void start_alone() {
  const SharedSettings settings = own_settings();
  const int rank = world_rank();
  const auto options = options_of(settings, rank);
  if (!options) return;
  if (options->mpi && rank == 0) {
    say("another tool kept MPI_Init from the profiler; MPI calls are not recorded");
    collectives::leave_evidence(Evidence::unseen_init);
  }
  start({.rank = rank, .id = settings.run_id, .options = *options});
}

void stop_all(const char* reason) noexcept {
  stop_recording(Sink::counts, reason);
  detail::active_sinks.store(0);
}

/// Takes the right to start, which one thread has once.
bool may_start() {
  std::uint8_t expected = detail::before_init;
  return detail::active_sinks.compare_exchange_strong(expected, 0);
}

}  // namespace

ActiveSinks detail::start_late() noexcept {
  int initialized = 0;
  int finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized || finalized) return {};
  const support::NoCancellation no_cancellation;
  if (may_start()) try {
      if (is_usable()) start_alone();
    } catch (const std::exception& error) {
      stop_all(error.what());
    }
  return ActiveSinks(detail::active_sinks.load(std::memory_order_acquire));
}

void stop_recording(Sink sink, std::string_view reason) noexcept {
  detail::active_sinks.fetch_and(static_cast<std::uint8_t>(~static_cast<unsigned>(sink)),
                                 std::memory_order_release);
  const support::NoCancellation no_cancellation;
  try {
    say(fmt::format("rank {} stops recording{}: {}", world_rank(), sink == Sink::sums ? " MPI calls" : "",
                    reason));
  } catch (...) {  // no further report is possible
  }
}

void after_mpi_init() noexcept {
  if (!may_start()) return;
  const support::NoCancellation no_cancellation;
  try {
    if (is_usable()) start_together();
  } catch (const std::exception& error) {
    stop_all(error.what());
  }
}

void pcontrol(int level) noexcept {
  if (level < 0 || !current_run.load()) return;
  std::uint32_t pauses = detail::pauses.load(std::memory_order_relaxed);
  if ((pauses % 2 != 0) != (level == 0)) detail::pauses.compare_exchange_strong(pauses, pauses + 1);
  pause_sums(level == 0);
  set_region_level(level);
}

}  // namespace plimsoll::interpose
