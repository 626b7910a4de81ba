#include "interpose/sums/sums_sink.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/internal/program_calls.hpp>
#include <plimsoll/collectives/internal/sums_file.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>

#include "interpose/counts/collect_logs.hpp"
#include "interpose/lifecycle/bytes_of_ranks.hpp"
#include "interpose/lifecycle/clock_comparison.hpp"
#include "interpose/lifecycle/lifecycle.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/lifecycle/report_of_ranks.hpp"
#include "interpose/parts/region_stack.hpp"
#include "interpose/parts/run_parts.hpp"
#include "interpose/path/path_sink.hpp"
#include "interpose/sums/processor_time.hpp"
#include "interpose/sums/rank_calls.hpp"
#include "interpose/sums/thread_record.hpp"
#include "interpose/waits/arrivals.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using support::say;

namespace {

ProcessorClock processors;                   // in the recorded time, which excludes pauses
collectives::SumsFile* sums_file = nullptr;  // never freed, because threads may outlive the exit handlers

bool started = false;   // on all ranks
ClockComparison clock;  // when recording started
std::string file_path;  // of the file that rank 0 writes; empty on other ranks

support::OutputOptions output_options(const Run& run) {
  return {.overwrite = run.options.write.overwrite, .keep_unfinished = false};
}

/// Returns whether rank 0 can write the file at the end, as far as this is known now; else reports why.
bool prepare_file(const Run& run) {
  try {
    const std::string folder = collectives::folder_of_run(run.options.folder, collectives::run_name(run.id));
    file_path = folder + "/" + collectives::mpi_calls_file_name;
    support::OutputFile::check(file_path, output_options(run));
    return true;
  } catch (const std::exception& error) {
    say(fmt::format("{}; MPI calls are not recorded", error.what()));
    return false;
  }
}

/// Lets this rank keep its sums in a file, which survives the end of the program. Without it, the sums are in
/// memory only. Returns why it cannot be created; else nothing.
std::string create_sums_file(const Run& run) noexcept {
  try {
    if (run.rank == 0) collectives::leave_evidence_of_run(collectives::run_name(run.id));
    support::make_folder(run.options.folder);
    sums_file = new collectives::SumsFile(run.options.folder, run.identity(), function_names);
    keep_parts_in(sums_file->progress());
    keep_records_in(sums_file);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

const char* to_text(CriticalPath::Unknown cause) {
  using enum CriticalPath::Unknown;
  switch (cause) {
    case no: return "";
    case errors: return "a call returned an error";
    case cancellations: return "the program cancelled messages";
    case freed_requests: return "the program freed requests of receives in progress";
    case neighbors: return "the program calls collectives on neighbours";
    case functions: return "the program uses one-sided or partitioned communication";
    case groups: return "ranks of different groups communicate";
    case communicators: return "the profiler did not see how the program made a communicator";
  }
  return "";
}

bool is_known(const PathResult& path) {
  return current_path() && path.unknown == CriticalPath::Unknown::no;
}

void write_file(const Run& run, const collectives::ProgramCalls& calls, const PathResult& path,
                std::int64_t clock_error_ns) {
  collectives::MpiCalls sums = calls.sums();
  sums.clock_error_s = 1e-9 * static_cast<double>(clock_error_ns);
  if (!run.options.critical_path || !current_path())
    sums.ideal_unknown = run.options.critical_path ? "threads may call MPI at the same time" : "";
  else if (is_known(path))
    sums.ideal_s = 1e-9 * static_cast<double>(path.ideal_ns);
  else
    sums.ideal_unknown = to_text(path.unknown);
  if (is_known(path) && !path.follows_regions)
    sums.regions_ideal_unknown = "threads other than that of MPI_Init may call MPI (MPI_THREAD_SERIALIZED)";
  sums.run = collectives::run_name(run.id);
  const std::string folder = std::filesystem::path(file_path).parent_path().string();
  collectives::write_mpi_calls(sums, folder, run.options.write.overwrite);
  collectives::leave_evidence(collectives::Evidence::mpi_calls_written, sums.run);
  if (calls.parts().has_too_many_names())
    say(fmt::format(
        "regions of all ranks have more than {} names, so region \"other\" contains the rest; use "
        "the same names on all ranks",
        max_named_regions));
  if (!run.options.quiet || folder != run.options.folder)
    say(fmt::format("MPI calls recorded in {}", file_path));
}

/// Returns the packed calls of this rank; none for a `problem`. Sets the program's `mistake` in marking
/// regions. Does not throw, because the other ranks wait.
std::string own_calls(const PathResult& path, std::string& problem, std::string& mistake) noexcept {
  try {
    const RunParts run = parts_until_now();
    mistake = run.problem;
    RankCalls calls = calls_of_this_rank(run, processors.sum(), path.waits);
    if (is_known(path)) calls.parts.ideal_windows = path.ideal_times.windows;
    if (is_known(path) && path.follows_regions) calls.parts.ideal_regions_ns = path.ideal_times.regions_ns;
    return packed(calls);
  } catch (const std::exception& error) {
    problem = error.what();
    return {};
  }
}

/// Records the call of MPI_Finalize: it waits until the last rank has made it. Collective.
void record_finalize(const Run& run, bool recorded) {
  if (pause_parts()) resume_parts();  // keeps the time until now, also if the program is killed here
  if (sums_file) sums_file->progress().finalized = 1;
  const std::uint64_t begin_ns = now_ns();
  const std::int64_t shared_begin_ns = shared_time_ns(begin_ns);
  with_path([&](CriticalPath& path) { path.begin_call(shared_begin_ns); });
  std::int64_t last_begin_ns = shared_begin_ns;
  PMPI_Allreduce(MPI_IN_PLACE, &last_begin_ns, 1, MPI_INT64_T, MPI_MAX, run.comm);
  const CallTime time = {begin_ns, now_ns() - begin_ns};
  const std::int64_t end_ns = shared_begin_ns + static_cast<std::int64_t>(time.duration_ns);
  CallPlace place;
  recorded_callers = 0;  // frames of Python cannot be read if its interpreter has ended
  if (recorded && !paused())
    guarded(Sink::sums, [&] {
      place = record_of_this_thread().add_call(Function::Finalize, finalize_caller, time, false, {});
    });
  with_path([&](CriticalPath& path) {
    path.await(last_begin_ns);
    path.end_call(end_ns, place);
  });
  if (current_arrivals)
    guarded(Sink::arrivals, [&] {
      current_arrivals->add({place, current_region(), shared_begin_ns, end_ns}, last_begin_ns);
    });
}

}  // namespace

bool start_sums(const Run& run) {
  int prepared = run.rank != 0 || prepare_file(run);
  PMPI_Bcast(&prepared, 1, MPI_INT, 0, run.comm);
  started = prepared != 0;
  if (!started) return false;
  report_of_ranks(run.comm, "cannot keep MPI calls in a file, so they are lost if the program is killed",
                  create_sums_file(run));
  clock = compare_clocks(run.comm);
  detail::clock_offset_ns = clock.offset_ns;
  if (!run.options.critical_path || !start_path(run, sums_file))
    current_arrivals = new Arrivals(run.comm, WaitTable({sums_file, collectives::rank_sums::Kind::waits, 0}));
  recorded_callers = run.options.depth - 1;
  begin_parts(run.comm);
  with_path([](CriticalPath& path) { path.begin(shared_time_ns(now_ns()), detail::shared_run_begin_ns); });
  processors.begin();
  record_of_this_thread().begin(now_ns());
  return true;
}

// The path pauses first and continues last, so that it has no useful time outside the recorded time.
void pause_sums(bool paused) noexcept {
  if (!started) return;
  const auto pause_path = [=] {
    with_path([&](CriticalPath& path) { path.pause(paused, shared_time_ns(now_ns())); });
  };
  if (paused) pause_path();
  const bool is_new = paused ? pause_parts() : resume_parts();
  if (!paused) pause_path();
  if (is_new && paused) processors.end();
  if (is_new && !paused) processors.begin();
}

void finish_sums(const Run& run, bool recorded) noexcept {
  if (!started) return;
  record_finalize(run, recorded);
  pause_sums(true);
  std::string problem;
  std::string mistake;
  const PathResult path = current_path() ? finish_path(run) : PathResult{.waits = current_arrivals->end()};
  if (sums_file) sums_file->seal();
  const std::string own = recorded ? own_calls(path, problem, mistake) : std::string();
  report_of_ranks(run.comm, "cannot record MPI calls", problem);
  report_of_ranks(run.comm, "marked regions wrongly", mistake);
  const std::int64_t clock_error_ns = clock_error_since(clock, run.comm);
  int written = 0;
  int ranks = 0;
  PMPI_Comm_size(run.comm, &ranks);
  try {
    collectives::ProgramCalls calls(ranks);
    for_bytes_of_ranks(run.comm, own,
                       [&](int, std::string_view bytes) { calls.add_rank(unpacked_calls(bytes)); });
    if (run.rank == 0) {
      write_file(run, calls, path, clock_error_ns);
      written = 1;
    }
  } catch (const std::exception& error) {
    say(fmt::format("cannot write the MPI calls: {}; they are kept{}", error.what(),
                    run.options.quiet ? "" : "; " + how_to_merge(run.options)));
  }
  PMPI_Bcast(&written, 1, MPI_INT, 0, run.comm);
  if (written != 0 && sums_file) sums_file->remove();
}

void abandon_sums() noexcept {
  if (started) pause_parts();
}

void leave_sums_to_parent() noexcept {
  if (sums_file) sums_file->leave_to_parent();
}

}  // namespace plimsoll::interpose
