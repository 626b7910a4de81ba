#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "balance/database/rank_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Ranks ordered by their room while objects migrate. The room of a rank is the load that it can receive
/// without finishing after the target: its spare capacity if it is positive, its excess if it is negative.
/// Unavailable ranks are omitted.
class RanksByRoom {
 public:
  using Item = RankObjects::Item;
  using Items = std::vector<Item>;
  /// Room and rank, in ascending order.
  using Ranks = std::set<std::pair<double, std::uint32_t>>;

  /// Requires that `ranks` outlives this object, and that only this object migrates objects.
  RanksByRoom(RankObjects& ranks, double target_s);

  const RankObjects& ranks() const { return ranks_; }
  const Items& items(std::uint32_t rank) { return ranks_.items(rank); }
  double room(std::uint32_t rank) const { return (target_s_ - ranks_.finish(rank)) * ranks_.speed(rank); }

  /// Returns the overloaded ranks that are not set aside, most overloaded first.
  const Ranks& overloaded() const { return overloaded_; }
  /// Returns the underloaded ranks, smallest room first.
  const Ranks& underloaded() const { return underloaded_; }
  /// Returns the largest room of a rank; 0 if no rank is underloaded.
  double most_room() const { return underloaded_.empty() ? 0 : underloaded_.rbegin()->first; }
  /// Returns the rank with the smallest sufficient room. Requires load <= most_room().
  std::uint32_t best_fit(double load) const { return underloaded_.lower_bound({load, 0})->second; }

  /// Returns the sum of the ranks' loads above the target.
  double total_excess() const { return total_excess_; }
  /// Removes a rank from overloaded() until its load changes.
  void set_aside(std::uint32_t rank) { overloaded_.erase({room(rank), rank}); }
  /// Migrates an object. Cost: O(log P + objects of the two ranks).
  void move(std::uint32_t from, const Item& item, std::uint32_t to);
  /// Migrates an object to the rank with the smallest sufficient room. Requires item.load <= most_room().
  void move_to_best_fit(std::uint32_t from, const Item& item) { move(from, item, best_fit(item.load)); }

 private:
  void insert(std::uint32_t rank);
  void erase(std::uint32_t rank);

  RankObjects& ranks_;
  double target_s_;
  double total_excess_ = 0;
  Ranks overloaded_;
  Ranks underloaded_;
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
