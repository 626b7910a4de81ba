#include "collectives/merging/failed_calls.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the calls that MPI refused: the maximum over the ranks, summed over the indices.
std::uint64_t refused_calls(const FailureCounter::OfRanks& of_ranks) {
  std::map<std::uint64_t, std::uint64_t> most;  // by index
  for (const FailureCounter::OfRank& rank : of_ranks) {
    std::map<std::uint64_t, std::uint64_t> of_rank;
    for (const LogFailure& failure : *rank.failures)
      if (failure.refused) of_rank[failure.first_index] += failure.count;
    for (const auto& [index, calls] : of_rank) most[index] = std::max(most[index], calls);
  }
  std::uint64_t sum = 0;
  for (const auto& [index, calls] : most) sum += calls;
  return sum;
}

NumberList indices_of_other_calls(const FailureCounter::OfRanks& of_ranks) {
  std::vector<NumberList::Run> runs;
  for (const FailureCounter::OfRank& rank : of_ranks)
    for (const LogFailure& failure : *rank.failures)
      if (!failure.refused) runs.push_back({failure.first_index, failure.last_index()});
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

}  // namespace plimsoll::collectives
