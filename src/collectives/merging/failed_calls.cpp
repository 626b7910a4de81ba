#include <algorithm>

#include <plimsoll/support/contract.hpp>

#include "collectives/merging/merge_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the calls that MPI refused: the maximum over the ranks, summed over the indices.
std::uint64_t refused_calls(const FailureCounter::OfRanks& of_ranks) {
  std::map<std::uint64_t, std::uint64_t> most;  // by index
  for (const FailureCounter::OfRank& rank : of_ranks) {
    std::map<std::uint64_t, std::uint64_t> of_rank;
    for (const rank_log::FailureRun& failure : *rank.failures)
      if (failure.refused == 1) of_rank[failure.first_index] += failure.count;
    for (const auto& [index, calls] : of_rank) most[index] = std::max(most[index], calls);
  }
  std::uint64_t sum = 0;
  for (const auto& [index, calls] : most) sum += calls;
  return sum;
}

NumberList indices_of_other_calls(const FailureCounter::OfRanks& of_ranks) {
  std::vector<NumberList::Run> runs;
  for (const FailureCounter::OfRank& rank : of_ranks)
    for (const rank_log::FailureRun& failure : *rank.failures)
      if (failure.refused != 1) runs.push_back({failure.first_index, last_index(failure)});
  std::ranges::sort(runs, {}, &NumberList::Run::first);
  NumberList indices;
  std::uint64_t next = 0;
  for (const NumberList::Run& run : runs) {
    if (run.last < next) continue;
    indices.append({std::max(run.first, next), run.last});
    next = run.last + 1;
  }
  return indices;
}

}  // namespace

NumberList FailureCounter::add(Operation operation, const OfRanks& of_ranks) {
  if (of_ranks.empty()) return {};
  NumberList indices = indices_of_other_calls(of_ranks);
  Sum& sum = sums_[operation.index()];
  sum.calls += refused_calls(of_ranks) + indices.size();
  for (const OfRank& rank : of_ranks) sum.ranks.insert(rank.world_rank);
  return indices;
}

std::vector<FailedCalls> FailureCounter::take() const {
  std::vector<FailedCalls> all;
  for (const auto& [index, sum] : sums_) {
    FailedCalls& failed =
        all.emplace_back(FailedCalls{.operation = Operation::at(index), .calls = sum.calls});
    for (const std::uint32_t rank : sum.ranks) failed.ranks.push_back(rank);
  }
  return all;
}

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

/// Appends the parts of `run` that did not fail. `failures` are sorted by ids. Returns the number of failures
/// to which the run was compared.
std::uint64_t append_rest(const LogRun& run, const std::vector<rank_log::FailureRun>& failures,
                          std::vector<LogRun>& rest) {
  std::uint64_t compared = 0;
  std::uint64_t begin = 0;
  PLIMSOLL_EXPECT(run.count > 0);
  for (auto failure = std::ranges::lower_bound(failures, run.first_id, {}, last_id);
       failure != failures.end() && failure->first_id <= run.last_id(); ++failure) {
    ++compared;
    const std::uint64_t failed = calls_before(run, failure->first_id);
    if (failed > begin) rest.push_back(part(run, begin, failed));
    begin = std::max(begin, calls_before(run, last_id(*failure) + 1));
  }
  if (begin < run.count) rest.push_back(part(run, begin, run.count));
  return compared;
}

/// Removes failed calls of one operation on one communicator.
void remove(std::vector<rank_log::FailureRun> failures, CallRuns& calls, const LogContent& log,
            ScatteredCalls& scattered) {
  std::ranges::sort(failures, {}, last_id);
  std::vector<LogRun> rest;
  for (const LogRun& run : calls.runs())
    scattered.add(append_rest(run, failures, rest), log.bytes.size(), log);
  calls.replace(std::move(rest));
  for (const rank_log::FailureRun& failure : failures)
    if (failure.refused != 1) calls.include(last_index(failure));
}

void remove_negative_counts(RankLog& log) {
  const bool ended = log.total_calls.has_value();
  for (auto& [key, calls] : log.calls) {
    if (key.subject != rank_log::Subject::counts) continue;
    std::vector<LogRun> rest = calls.runs();
    const auto negative =
        std::ranges::find_if(rest, [&](const LogRun& run) { return log.rows[run.item].negative; });
    if (negative == rest.end()) continue;
    const std::uint64_t byte = log.rows[negative->item].send.offset;
    std::erase_if(rest, [&](const LogRun& run) { return log.rows[run.item].negative; });
    calls.replace(std::move(rest));
    if (ended) fail_at(byte, log.content, "negative count");
  }
}

}  // namespace

void remove_failed_calls(RankLog& log, ScatteredCalls& scattered) {
  for (auto& [key, calls] : log.calls)
    if (const auto failures = log.failures.find({key.communicator, key.operation});
        failures != log.failures.end())
      remove(failures->second, calls, log.content, scattered);
  remove_negative_counts(log);
}

}  // namespace plimsoll::collectives
