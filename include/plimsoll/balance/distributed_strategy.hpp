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

/// Communication of a migratable object of a LocalRank with another end, in both directions together.
struct LocalEdge {
  std::uint32_t object = 0;    ///< position in LocalRank::objects
  std::int32_t rank = 0;       ///< rank where the other end is before balancing
  std::uint64_t neighbor = 0;  ///< number of the other object; 0 if the other end stays
  double bytes = 0;
  double messages = 0;
  bool stays = false;  ///< whether the other end is the rank itself, or non-migratable objects there
  // Part of the bytes that the work model counts, by direction: those of SendRecv edges between objects.
  double sent_bytes = 0;
  double received_bytes = 0;
};

/// Communication that the work model counts between non-migratable objects of a LocalRank and those of
/// another rank.
struct StayingTraffic {
  std::int32_t rank = 0;  ///< the other rank
  double sent_bytes = 0;
  double received_bytes = 0;
};

/// Shared block of memory that objects of a LocalRank use.
struct LocalBlock {
  std::int32_t home = 0;  ///< rank that owns the block
  /// Number of the block: blocks with the same number and home are the same on all ranks. A running program
  /// and its data files may number them differently, so that only equality counts.
  std::int64_t id = 0;
  double bytes = 0;
};

/// Part of LDStats that one rank knows about itself. Columns that StrategyNeeds excludes are empty.
struct LocalRank {
  std::vector<LocalObject> objects = {};  ///< migratable objects, by ascending number
  double overhead = 0;                    ///< time that does not depend on the placement: see ProcInfo
  double speed = 1;
  bool available = true;  ///< whether objects may be placed here
  /// Number of the shared-memory host, which is the same on all its ranks. Negative: a separate host.
  std::int64_t node = -1;
  double alpha = 1;             ///< factor of the load in the work model (ProcStats::rank_alpha)
  std::uint64_t n_staying = 0;  ///< number of non-migratable objects

  /// Communication of the objects: one edge per pair of ends. Sorted by object; the edges of an object to
  /// other objects come first, by number, then those to ends that stay, by rank.
  std::vector<LocalEdge> edges = {};
  double staying_bytes = 0;     ///< communication between ends that stay, on one of their ranks only
  double staying_messages = 0;  ///< the same in messages
  std::vector<StayingTraffic> staying_traffic;  ///< by rank; each edge on one of its ranks only

  std::vector<double> positions = {};  ///< n_axes coordinates per object
  std::uint32_t n_axes = 0;

  std::vector<ObjMemory> memory = {};          ///< of each object; ObjMemory::block is an index into `blocks`
  std::vector<ObjMemory> staying_memory = {};  ///< of the non-migratable objects
  std::vector<LocalBlock> blocks = {};         ///< blocks of all objects, in the order of their first use
  double working_bytes = 0;                    ///< memory that the rank needs regardless of its objects

  /// Returns the load of the objects.
  double load() const;
  /// Returns the edges of an object. O(log edges).
  std::span<const LocalEdge> edges_of(std::size_t object) const;
  /// Returns the position of an object by its number, or the number of objects. O(log objects).
  std::size_t find(std::uint64_t number) const;
  std::span<const double> position(std::size_t object) const {
    return std::span(positions).subspan(object * n_axes, n_axes);
  }
};

/// Parts of a LocalRank in any order.
struct UnorderedRank {
  std::vector<LocalObject> migratable = {};
  std::vector<LocalObject> non_migratable = {};
  std::vector<LocalEdge> edges = {};          ///< LocalEdge::object is an index into `migratable`
  std::vector<LocalEdge> staying_edges = {};  ///< edges between ends that stay, each on one rank only
  std::vector<double> positions = {};         ///< n_axes coordinates per migratable object, or none
  std::uint32_t n_axes = 0;
  std::vector<ObjMemory> memory = {};          ///< of each migratable object, or empty
  std::vector<ObjMemory> staying_memory = {};  ///< of each non-migratable object, or empty
  std::vector<LocalBlock> blocks = {};         ///< ObjMemory::block is an index into it
};

/// Returns the part of a rank. Ignores the order of the given parts, so that a running program and its data
/// files give the same, and merges edges between the same ends. LocalObject::new_rank need not be set. Throws
/// Error (bad_input) for an edge with bytes or messages that are negative or not finite. O(n log n).
LocalRank make_local_rank(std::int32_t rank, const ProcStats& proc, std::int64_t node, UnorderedRank parts);

/// Strategy that runs on all ranks in rounds, each of which knows only its own objects and what other ranks
/// send to it. The placement does not depend on the executor of the rounds: simulated ranks on one computer,
/// or ranks of a running program.
class DistributedStrategy : public Strategy {
 public:
  /// Simulates all ranks, on all processors of this computer.
  void work(LDStats& stats) final;
  /// Sets LocalObject::new_rank of the objects of the local ranks of `rounds`. Collective. Objects return to
  /// their ranks if that does not increase the score (score_terms(), of the first load dimension), unless the
  /// placement has a shape; all stay if the score does not decrease. Throws Error (usage) if no rank is
  /// available for the objects, and like place() and RankRounds::run().
  void work(RankRounds& rounds, std::span<LocalRank> ranks);

  /// Keeps at most `max_moves` migrations of all ranks (limit_migrations()); all objects stay if the score
  /// would otherwise be higher than before. Collective.
  void limit(RankRounds& rounds, std::int64_t max_moves, std::span<LocalRank> ranks);

  /// Returns what the rounds of the last work() have cost.
  std::vector<Remark> remarks() const override;

 protected:
  using Strategy::Strategy;

 private:
  /// Sets LocalObject::new_rank. Collective: work within RankRounds::run(), or the same on all ranks.
  virtual void place(RankRounds& rounds, std::span<LocalRank> ranks) = 0;
  /// Prepares for place() with simulated ranks, whose stats may contain more than those of running programs.
  virtual void prepare(const LDStats&) {}
  /// Returns whether placements have a shape: see StrategyInfo.
  virtual bool keeps_shape() const { return false; }
  /// Returns whether a score of the strategy's own (ScoreTerms::Kind::own) is higher than before all
  /// migrations; false for other scores. Collective.
  virtual bool is_harmful(RankRounds&, std::span<const LocalRank>) const { return false; }

  RoundTraffic traffic_;
  std::int32_t n_ranks_ = 0;  // of the last work()
};

/// Keeps at most `max_moves` migrations of all ranks: ranks that finish late migrate their heaviest objects
/// first, until they finish at a time that is the same for all. The other objects stay; all stay if `terms`,
/// unless they are of ScoreTerms::Kind::own, would otherwise be higher than before. Collective: up to 25
/// sums, and what the terms need.
void limit_migrations(RankRounds& rounds, const ScoreTerms& terms, std::int64_t max_moves,
                      std::span<LocalRank> ranks);

/// Returns the part of a strategy that runs in rounds. Null if it does not, or if it has limits, for which
/// the loads of all objects are needed.
DistributedStrategy* distributed_part(Strategy& strategy);

}  // namespace plimsoll::balance
