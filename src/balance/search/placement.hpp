#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/version.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// The objects on each rank, in any order, while objects migrate.
class ObjectsByRank {
 public:
  ObjectsByRank(std::size_t n_ranks, std::size_t n_objects) : objects_(n_ranks), position_(n_objects) {}

  std::size_t n_ranks() const { return objects_.size(); }
  const std::vector<std::uint32_t>& on(std::size_t rank) const { return objects_[rank]; }

  /// Adds an object that is not on any rank.
  void add(std::uint32_t object, std::size_t rank) {
    position_[object] = static_cast<std::uint32_t>(objects_[rank].size());
    objects_[rank].push_back(object);
  }
  /// Migrates an object in O(1): the last object of the rank takes its place.
  void move(std::uint32_t object, std::size_t from, std::size_t to) {
    std::vector<std::uint32_t>& left = objects_[from];
    PLIMSOLL_EXPECT(left[position_[object]] == object);
    left[position_[object]] = left.back();
    position_[left.back()] = position_[object];
    left.pop_back();
    add(object, to);
  }

 private:
  std::vector<std::vector<std::uint32_t>> objects_;
  std::vector<std::uint32_t> position_;  ///< position of each object among the objects of its rank
};

/// Rank of each object, with the finish time of each rank and its migratable objects sorted by load, while
/// objects migrate. Every search for a better placement works on one Placement, and applies each migration
/// once: move() updates all of these. RanksByRoom is a view of it.
class Placement {
 public:
  using Item = LoadedObject;

  /// Starts with object k on rank start[k]. The stats and their ProcArray must outlive this object. Cost:
  /// O(objects + ranks).
  Placement(const LDStats& stats, const ProcArray& procs, std::vector<std::int32_t> start);

  /// Returns the rank of each object, for LDStats::to_proc.
  const std::vector<std::int32_t>& assignment() const { return assignment_; }

  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(finish_.size()); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  double speed(std::uint32_t rank) const { return procs_.procs[rank].pe_speed; }
  double finish(std::uint32_t rank) const { return finish_[rank]; }
  double max_finish() const;

  /// Returns the objects of `rank`, lightest first. Sorts them at the first call, because many ranks are
  /// never queried.
  const std::vector<Item>& items(std::uint32_t rank);
  std::uint32_t rank_of(std::uint32_t object) const {
    return static_cast<std::uint32_t>(assignment_[object]);
  }
  /// Returns all migratable objects in approximate order (to float precision), heaviest first.
  std::vector<LoadedObject> by_descending_load() const;
  /// Migrates an item of items(from). Cost: O(objects of the two ranks).
  void move(std::uint32_t from, Item item, std::uint32_t to);

 private:
  double load(std::uint32_t object) const { return stats_.load_s(object); }

  const LDStats& stats_;
  const ProcArray& procs_;
  std::vector<std::int32_t> assignment_;
  std::vector<double> finish_;
  std::vector<std::uint32_t> objects_;  ///< objects grouped by their first rank
  std::vector<std::uint32_t> begin_;    ///< start of each rank's group
  std::vector<std::vector<Item>> items_;
  /// Whether items_ of each rank is complete and sorted; if not, it only contains arrivals.
  std::vector<bool> sorted_;
};

/// Reduces the maximum finish time of the available ranks until it is at most `target_s`, or until the search
/// finds no further step. In each step, the rank that finishes last gives an object to one of the ranks that
/// finish first, or swaps an object for a lighter one. The step minimises the later of the two finish times.
/// The maximum finish time never increases. Cost: at most 16 steps per rank, each O(objects of 32 ranks).
void level_by_exchange(Placement& placement, double target_s);

/// Ranks ordered by their room while objects migrate. The room of a rank is the load that it can receive
/// without finishing after the target: its spare capacity if it is positive, its excess if it is negative.
/// Unavailable ranks are omitted.
class RanksByRoom {
 public:
  using Item = Placement::Item;
  using Items = std::vector<Item>;
  /// Room and rank, in ascending order.
  using Ranks = std::set<std::pair<double, std::uint32_t>>;

  /// The placement must outlive this object. Until then, only this object may migrate objects.
  RanksByRoom(Placement& placement, double target_s);

  const Placement& placement() const { return placement_; }
  const Items& items(std::uint32_t rank) { return placement_.items(rank); }
  double room(std::uint32_t rank) const {
    return (target_s_ - placement_.finish(rank)) * placement_.speed(rank);
  }

  /// Returns the overloaded ranks that are not set aside, most overloaded first.
  const Ranks& overloaded() const { return overloaded_; }
  /// Returns the underloaded ranks, smallest room first.
  const Ranks& underloaded() const { return underloaded_; }
  /// Returns the largest room of a rank; 0 if no rank is underloaded.
  double most_room() const { return underloaded_.empty() ? 0 : underloaded_.rbegin()->first; }
  /// Returns the rank with the smallest sufficient room.
  std::uint32_t best_fit(double load) const {
    PLIMSOLL_EXPECT(!underloaded_.empty() && load <= most_room());
    return underloaded_.lower_bound({load, 0})->second;
  }

  /// Returns the sum of the ranks' loads above the target.
  double total_excess() const { return total_excess_; }
  /// Removes a rank from overloaded() until its load changes.
  void set_aside(std::uint32_t rank) { overloaded_.erase(std::exchange(entries_[rank], overloaded_.end())); }
  /// Migrates an object. Cost: O(log P + objects of the two ranks).
  void move(std::uint32_t from, const Item& item, std::uint32_t to);
  /// Migrates an object to the rank with the smallest sufficient room.
  void move_to_best_fit(std::uint32_t from, const Item& item) { move(from, item, best_fit(item.load)); }

 private:
  /// Removes a rank, and returns its entry for insert(), which reuses the memory; empty if it had none.
  Ranks::node_type extract(std::uint32_t rank);
  void insert(std::uint32_t rank, Ranks::node_type entry);

  Placement& placement_;
  double target_s_;
  double total_excess_ = 0;
  Ranks overloaded_;
  Ranks underloaded_;
  std::vector<Ranks::iterator> entries_;  ///< entry of each rank; the end of overloaded_ if it has none
};

/// An overloaded rank that has to give load away.
struct Donor {
  std::uint32_t rank;
  double excess;   ///< load above the target, > 0
  double surplus;  ///< additional load that it may give away without wasting room
};

/// Returns the lightest object whose departure brings the donor to the target; the end of its objects if all
/// are too light.
inline RanksByRoom::Items::const_iterator lightest_sufficient(RanksByRoom& ranks, const Donor& donor) {
  return std::ranges::lower_bound(ranks.items(donor.rank), donor.excess, {}, &RanksByRoom::Item::load);
}

}  // namespace plimsoll::balance
