#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

#include "balance/rounds/edge_ends.hpp"
#include "balance/rounds/new_finish_times.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrations of a strategy that keeps communication within ranks (ScoreTerms::Kind::communication).
class CommunicatingMigrations {
 public:
  /// Collective. The ranks must outlive this object.
  CommunicatingMigrations(RankRounds& rounds, const ScoreTerms& terms, std::span<LocalRank> ranks);

  /// Compares the score with that before all migrations. Collective.
  std::weak_ordering compare_with_start();
  /// Takes back objects without which the score is at most as high. Collective.
  void take_back_needless();

 private:
  using Objects = std::vector<std::uint32_t>;  // positions in LocalRank::objects

  std::int32_t number_of(std::int32_t local) const { return rounds_.first_local_rank() + local; }
  double sum_of_costs(double EdgeCosts::*part);
  void find_last_rank();
  Objects away(std::int32_t local) const;
  Objects returnable(std::int32_t local, const Objects& candidates);
  bool saves_by_return(std::int32_t local, std::uint32_t object) const;
  void announce(std::int32_t local, const Objects& candidates, Outbox& outbox) const;
  Objects without_conflicts(std::int32_t local, Objects candidates, Inbox announced) const;
  std::vector<ReturnedObject> take_back(std::int32_t local, const Objects& objects);

  RankRounds& rounds_;
  std::span<LocalRank> ranks_;
  EdgeEnds ends_;
  NewFinishTimes finish_;
  double target_ = 0;  // time by which all ranks may finish
  double last_ = 0;    // time at which the last rank finishes, or the target
  double migration_cost_ = 0;
  std::vector<double> values_;            // one per local rank
  std::vector<std::int32_t> last_ranks_;  // one per local rank: the last rank, if it has objects of this one
};

}  // namespace plimsoll::balance
