#pragma once

#include <functional>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/strategies/tempered_lb/cluster_swaps.hpp"
#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Measures the work and memory of all ranks. All members except work_of_local() are collective.
class WorkScore {
 public:
  /// The arguments must outlive this object.
  WorkScore(RankRounds& rounds, const WorkRules& rules, std::span<WorkRank> ranks)
      : rounds_(rounds), rules_(rules), ranks_(ranks), values_(ranks.size()), work_(ranks.size()) {}

  /// Computes the work and memory of the local ranks, and tells their edges where the other ends are.
  void measure();
  /// Measures, and returns the score of all ranks: PairScore::lower_work is 0.
  PairScore score();

  /// Returns the work and memory of the local ranks as of the last measurement.
  std::span<const RankWork> work_of_local() const { return work_; }
  /// Returns the sum of the work of all ranks as of the last measurement.
  double total_work();
  double sum(const std::function<double(const WorkRank&)>& value);
  double maximum(const std::function<double(const WorkRank&)>& value);

 private:
  RankRounds& rounds_;
  const WorkRules& rules_;
  std::span<WorkRank> ranks_;
  std::vector<double> values_;  // one per local rank
  std::vector<RankWork> work_;
};

/// Returns whether the score of all ranks is higher with LocalObject::new_rank than before. `work_ranks` are
/// work_ranks_of(ranks); their objects migrate. Collective.
bool work_increases(RankRounds& rounds, const WorkRules& rules, std::span<const LocalRank> ranks,
                    std::span<WorkRank> work_ranks);

}  // namespace plimsoll::balance
