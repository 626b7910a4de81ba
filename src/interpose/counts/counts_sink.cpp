#include "interpose/counts/counts_sink.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "interpose/counts/collect_logs.hpp"
#include "interpose/lifecycle/clock_comparison.hpp"
#include "interpose/lifecycle/report_of_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using support::say;

namespace {

std::int64_t origin_ns = 0;  // time at which rank 0 left MPI_Init, on its clock

void create_log(const Run& run) {
  if (run.rank == 0 || !run.communicates()) collectives::leave_evidence_of_run(collectives::run_name(run.id));
  support::make_folder(run.options.folder);
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  detail::counts = new ProcessRecording(run.options, run.identity(), level == MPI_THREAD_MULTIPLE);
}

void record_clock(const Run& run) {
  if (!run.communicates() || !run.options.record_times()) return;
  const ClockComparison clock = compare_clocks(run.comm);
  if (ProcessRecording* const recording = detail::counts)
    recording->recorder().record_clock(clock.local_ns, clock.offset_ns, clock.error_ns, origin_ns);
}

/// Continues after a failed step, because the other ranks wait for this rank in the next step.
template <class Step>
void attempt(Step&& step, std::string& problem) noexcept {
  try {
    step();
  } catch (const std::exception& error) {
    problem = error.what();
  }
}

}  // namespace

bool start_counts(const Run& run) noexcept {
  std::string problem;
  attempt([&] { create_log(run); }, problem);
  if (run.communicates())
    report_of_ranks(run.comm, "cannot be recorded", problem);
  else if (run.rank == 0 && !problem.empty())  // other ranks probably have the same problem
    say(fmt::format("rank 0 cannot be recorded: {}", problem));
  if (run.communicates() && run.options.record_times()) {
    origin_ns = static_cast<std::int64_t>(now_ns());
    PMPI_Bcast(&origin_ns, 1, MPI_INT64_T, 0, run.comm);
    attempt([&] { record_clock(run); }, problem);
  }
  return detail::counts != nullptr;
}

void finish_counts(const Run& run) noexcept {
  ProcessRecording* const recording = detail::counts;
  std::string problem;
  attempt([&] { record_clock(run); }, problem);
  if (recording) attempt([&] { recording->finish(true); }, problem);
  if (run.communicates()) {
    attempt([&] { collect_logs(run.comm, run.options, recording ? &recording->recorder() : nullptr); },
            problem);
    report_of_ranks(run.comm, "failed at the end of the program", problem);
  } else if (!problem.empty()) {
    say(fmt::format("rank {} failed at the end of the program: {}", run.rank, problem));
  }
  if (recording) recording->recorder().release();
  detail::counts = nullptr;
}

bool abandon_counts() noexcept {
  ProcessRecording* const recording = detail::counts;
  if (!recording) return false;
  try {
    recording->finish(false);
  } catch (const std::exception&) {  // data already in the log are kept
  }
  return true;
}

void leave_counts_to_parent() noexcept {
  if (ProcessRecording* const parents = detail::counts.exchange(nullptr))
    parents->recorder().leave_to_parent();
}

}  // namespace plimsoll::interpose
