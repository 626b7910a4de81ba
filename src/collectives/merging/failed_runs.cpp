#include "collectives/merging/failed_runs.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::inline v0_1::collectives {

namespace {

/// Returns the calls of a run from its `begin`-th up to and excluding its `end`-th.
LogRun part(const LogRun& run, std::uint64_t begin, std::uint64_t end) {
  LogRun part = run;
  part.first_index += begin * run.index_step;
  part.first_id += begin * run.id_step;
  part.count = end - begin;
  return part;
}

/// Returns how many calls of a run have ids below `id`.
std::uint64_t calls_before(const LogRun& run, std::uint64_t id) {
  if (id <= run.first_id) return 0;
  return std::min(run.count, (id - run.first_id + run.id_step - 1) / run.id_step);
}

}  // namespace

FailedRuns::FailedRuns(std::vector<LogFailure> failures) : failures_(std::move(failures)) {
  std::ranges::sort(failures_, {}, &LogFailure::last_id);
}

std::uint64_t FailedRuns::append_rest(LogRun run, std::vector<LogRun>& rest) const {
  std::uint64_t compared = 0;
  std::uint64_t begin = 0;
  for (auto failure = std::ranges::lower_bound(failures_, run.first_id, {}, &LogFailure::last_id);
       failure != failures_.end() && failure->first_id <= run.last_id(); ++failure) {
    ++compared;
    const std::uint64_t failed = calls_before(run, failure->first_id);
    if (failed > begin) rest.push_back(part(run, begin, failed));
    begin = std::max(begin, calls_before(run, failure->last_id() + 1));
  }
  if (begin < run.count) rest.push_back(part(run, begin, run.count));
  return compared;
}

}  // namespace plimsoll::collectives
