#include "interpose/parts/run_parts.hpp"

#include <algorithm>
#include <mutex>

#include "interpose/parts/region_stack.hpp"
#include "interpose/path/path_sink.hpp"
#include "interpose/wrappers/wrappers.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Whether this thread is the one with regions.
constinit thread_local bool marks_regions = false;

/// The recorded time, and the regions to which it belongs. Never destroyed, because threads may outlive the
/// exit handlers.
struct Recorded {
  std::mutex mutex;
  RegionStack regions;
  PartTimes times;
  std::uint64_t begin_ns = 0;  ///< of the interval that `times` do not contain yet; 0 during a pause
  collectives::rank_sums::Progress* progress = nullptr;  ///< in the file of this rank; null without one

  /// Begins an interval, or a pause with 0.
  void begin(std::uint64_t interval_begin_ns) {
    begin_ns = interval_begin_ns;
    if (progress) progress->begin_ns = begin_ns;
  }
  /// Moves the time until now into `times`.
  void count_until(std::uint64_t end_ns) {
    if (begin_ns == 0 || end_ns <= begin_ns) return;
    times.add(since_run_began(begin_ns), since_run_began(end_ns), regions.current());
    if (progress) progress->before_ns += end_ns - begin_ns;
    begin(end_ns);
  }
};
Recorded& recorded() {
  static Recorded* const recorded = new Recorded;
  return *recorded;
}

/// Changes the regions, unless the mark does not count.
template <class Change>
void mark(Change&& change) noexcept {
  if (!marks_regions || Nesting::inside()) return;
  if (!ActiveSinks(detail::active_sinks.load(std::memory_order_relaxed)).has(Sink::sums)) return;
  guarded(Sink::sums, [&] {
    Recorded& run = recorded();
    const std::lock_guard lock(run.mutex);
    const std::uint64_t now = now_ns();
    run.count_until(now);
    with_path([&](CriticalPath& path) { path.leave_region(shared_time_ns(now)); });
    change(run.regions);
    detail::current_region = run.regions.current();
  });
}

std::string_view text_of(const char* name) {
  return name != nullptr ? name : "";
}

}  // namespace

void begin_parts(MPI_Comm communicator) {
  std::int64_t begin_ns = shared_time_ns(now_ns());
  PMPI_Allreduce(MPI_IN_PLACE, &begin_ns, 1, MPI_INT64_T, MPI_MIN, communicator);
  detail::shared_run_begin_ns = begin_ns;
  detail::run_begin_ns = static_cast<std::uint64_t>(begin_ns - detail::clock_offset_ns);
  marks_regions = true;
  resume_parts();
}

void keep_parts_in(collectives::rank_sums::Progress& progress) {
  recorded().progress = &progress;
}

bool pause_parts() noexcept {
  Recorded& run = recorded();
  const std::lock_guard lock(run.mutex);
  if (run.begin_ns == 0) return false;
  run.count_until(now_ns());
  run.begin(0);
  return true;
}

bool resume_parts() noexcept {
  Recorded& run = recorded();
  const std::lock_guard lock(run.mutex);
  if (run.begin_ns != 0) return false;
  run.begin(now_ns());
  return true;
}

void begin_region(const char* name) noexcept {
  mark([=](RegionStack& regions) { regions.begin(text_of(name)); });
}

void end_region(const char* name) noexcept {
  mark([=](RegionStack& regions) { regions.end(text_of(name)); });
}

void set_region_level(int level) noexcept {
  mark([=](RegionStack& regions) { regions.set_level(level); });
}

RunParts parts_until_now() {
  Recorded& run = recorded();
  const std::lock_guard lock(run.mutex);
  run.count_until(now_ns());
  return {run.regions.names(), run.times, run.regions.problem_at_end()};
}

}  // namespace plimsoll::interpose
