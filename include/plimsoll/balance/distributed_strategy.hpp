#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migratable object of a LocalRank.
struct LocalObject {
  double load = 0;            ///< load in seconds at speed 1
  std::uint64_t number = 0;   ///< number of the object, which is unique among all ranks
  std::uint32_t index = 0;    ///< index in the data of the caller; strategies ignore it
  std::int32_t new_rank = 0;  ///< result of a strategy; at first the rank where the object is
};

/// Part of LDStats that one rank knows about itself.
struct LocalRank {
  std::vector<LocalObject> objects;  ///< migratable objects, by ascending number
  double overhead = 0;               ///< time that does not depend on the placement: see ProcInfo
  double speed = 1;
  bool available = true;  ///< whether objects may be placed here
};

/// Returns the part of a rank. LocalObject::new_rank need not be set. Ignores the order of the objects, so
/// that a running program and its data files give the same. O(n log n).
LocalRank make_local_rank(std::int32_t rank, const ProcStats& proc, std::vector<LocalObject> migratable,
                          std::vector<LocalObject> non_migratable);

/// Strategy that runs on all ranks in rounds, each of which knows only its own objects and what other ranks
/// send to it. The placement does not depend on the executor of the rounds: simulated ranks on one computer,
/// or ranks of a running program.
class DistributedStrategy : public Strategy {
 public:
  /// Simulates all ranks, on all processors of this computer.
  void work(LDStats& stats) final;
  /// Sets LocalObject::new_rank of the objects of the local ranks of `rounds`. Collective. If the strategy
  /// minimises the load (ScoreTerms::Kind::load), objects return to their ranks if that does not increase the
  /// maximum load, and all stay if the maximum does not decrease. Throws Error (usage) if no rank is
  /// available for the objects, and like place() and RankRounds::run().
  void work(RankRounds& rounds, std::span<LocalRank> ranks);

  /// Returns what the rounds of the last work() have cost.
  std::vector<Remark> remarks() const override;

 protected:
  using Strategy::Strategy;

 private:
  /// Sets LocalObject::new_rank. Collective: work within RankRounds::run(), or the same on all ranks.
  virtual void place(RankRounds& rounds, std::span<LocalRank> ranks) = 0;

  RoundTraffic traffic_;
  std::int32_t n_ranks_ = 0;  // of the last work()
};

/// Keeps at most `max_moves` migrations of all ranks: ranks that finish late migrate their heaviest objects
/// first, until they finish at a time that is the same for all. The other objects stay. Collective: up to 25
/// sums.
void limit_migrations(RankRounds& rounds, std::span<LocalRank> ranks, std::int64_t max_moves);

/// Returns the part of a strategy that runs in rounds. Null if it does not, or if it has limits, for which
/// the loads of all objects are needed.
DistributedStrategy* distributed_part(Strategy& strategy);

}  // namespace plimsoll::balance
