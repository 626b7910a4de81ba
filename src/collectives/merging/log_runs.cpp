#include "collectives/merging/log_runs.hpp"

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

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

void append_rest(const LogRun& run, const std::vector<LogFailure>& failures, std::vector<LogRun>& rest) {
  std::uint64_t begin = 0;
  PLIMSOLL_EXPECT(run.count > 0);
  for (auto failure = std::ranges::lower_bound(failures, run.first_id, {}, last_id);
       failure != failures.end() && failure->first_id <= run.last_id(); ++failure) {
    const std::uint64_t failed = calls_before(run, failure->first_id);
    if (failed > begin) rest.push_back(part(run, begin, failed));
    begin = std::max(begin, calls_before(run, last_id(*failure) + 1));
  }
  if (begin < run.count) rest.push_back(part(run, begin, run.count));
}

}  // namespace plimsoll::collectives
