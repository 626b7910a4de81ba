#include "balance/strategies/tempered_lb/cluster_swaps.hpp"

#include <algorithm>

#include "balance/search/loads.hpp"
#include "balance/strategies/tempered_lb/rank_pair.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns -1, 0 or 1 if a value is less, equal within rounding errors, or more than another one.
int compare(double one, double other) {
  const double error = rounding_error * std::max(one, other);
  return one < other - error ? -1 : one > other + error ? 1 : 0;
}

}  // namespace

bool PairScore::is_better_than(const PairScore& other) const {
  if (n_misplaced != other.n_misplaced) return n_misplaced < other.n_misplaced;
  if (const int order = compare(memory_excess, other.memory_excess); order != 0) return order < 0;
  if (const int order = compare(higher_work, other.higher_work); order != 0) return order < 0;
  if (const int order = compare(lower_work, other.lower_work); order != 0) return order < 0;
  return compare(traffic, other.traffic) < 0;
}

ClusterSwap find_swap(const RankView& first, const RankView& second, const WorkRules& rules) {
  RankPair pair(first, second, rules);
  ClusterSwap result{.before = pair.score()};
  result.after = result.before;
  const std::size_t max_steps = first.parts.size() + second.parts.size();
  for (std::size_t step = 0; step < max_steps; ++step) {
    std::vector<std::size_t> given = pair.movable(0);
    std::vector<std::size_t> taken = pair.movable(1);
    given.push_back(RankPair::none);
    taken.push_back(RankPair::none);
    PairScore best = result.after;
    std::size_t best_given = RankPair::none;
    std::size_t best_taken = RankPair::none;
    for (const std::size_t give : given)
      for (const std::size_t take : taken) {
        PairScore score;
        if (!pair.may_swap(give, take, score) || !score.is_better_than(best)) continue;
        best = score;
        best_given = give;
        best_taken = take;
      }
    if (!best.is_better_than(result.after)) break;
    pair.swap(best_given, best_taken);
    result.after = pair.score();
  }
  for (const std::size_t part : pair.movable(1))
    if (part < first.parts.size()) result.given.push_back(static_cast<std::int32_t>(part));
  for (const std::size_t part : pair.movable(0))
    if (part >= first.parts.size())
      result.taken.push_back(static_cast<std::int32_t>(part - first.parts.size()));
  return result;
}

}  // namespace plimsoll::balance
