#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/version.hpp>

#include "balance/search/affinity.hpp"
#include "balance/search/maximum_tree.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Number of partners above which a search re-evaluates an object only when its turn comes, not whenever a
/// partner migrates. Otherwise the partners of a hub would cost the square of their number.
inline constexpr std::size_t many_partners = 64;

/// Limit and prices of a search for a placement with little communication.
struct CommGoal {
  double limit_s = 0;  ///< maximum finish time of a rank
  /// Cost of an object that is not on its initial rank, in the unit of Affinity::Partner::cost.
  double migration_cost = 0;
};

/// Rank of each object, with the finish time of each rank and the effect of each migration on the costs,
/// while objects migrate. The costs are those of off-rank communication and of migrations.
class CommPlacement {
 public:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  struct Move {
    std::uint32_t to = nowhere;
    double gain = 0;  ///< saved cost; negative if the cost increases
  };

  /// Starts with objects at `placement`; stats.from_proc is the initial rank of each object. The other
  /// arguments must outlive this object. Cost: O(objects + ranks log ranks).
  CommPlacement(const LDStats& stats, const ProcArray& procs, const Affinity& affinity, const CommGoal& goal,
                std::vector<std::int32_t> placement);

  const std::vector<std::int32_t>& placement() const { return placement_; }
  std::uint32_t n_objects() const { return static_cast<std::uint32_t>(placement_.size()); }
  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(finish_s_.size()); }
  bool migratable(std::uint32_t object) const { return stats_.obj_data[object].migratable; }
  double load(std::uint32_t object) const { return stats_.load_s(object); }
  std::uint32_t rank(std::uint32_t object) const { return static_cast<std::uint32_t>(placement_[object]); }
  std::uint32_t home(std::uint32_t object) const {
    return static_cast<std::uint32_t>(stats_.from_proc[object]);
  }
  std::span<const Affinity::Partner> partners(std::uint32_t object) const {
    return affinity_.partners(object);
  }
  std::uint32_t rank(const Affinity::Partner& partner) const {
    return partner.end.is_object() ? rank(partner.end.index()) : partner.end.index();
  }

  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  /// Returns the load that the rank can receive until it finishes at the limit; negative if it finishes
  /// later.
  double room(std::uint32_t rank) const {
    return (goal_.limit_s - finish_s_[rank]) * procs_.procs[rank].pe_speed;
  }
  /// Returns whether objects have to leave `rank`, because it finishes after the limit or is not available.
  bool has_to_give(std::uint32_t rank) const;
  /// Returns whether an available rank finishes after the limit.
  bool any_has_to_give() const;
  /// Returns the time by which the last rank finishes after the limit (0 if none does), then the sum of the
  /// costs. Cost: O(objects + edges).
  Score score() const;

  /// Returns the best migration of an object to a rank of its partners or to its initial rank, among the
  /// ranks for which `allowed(rank)`. Ties go to the rank with the most room. If no such rank exists, `gain`
  /// is the gain of a migration to a rank without partners. Cost: O(partners).
  template <typename Allowed>
  Move best_move(std::uint32_t object, const Allowed& allowed);
  /// Returns the best migration to a rank with room for the object.
  Move to_partners(std::uint32_t object) {
    return best_move(object, [&](std::uint32_t there) { return room(there) >= load(object); });
  }
  /// Returns the rank with the most room if the object fits there, else nowhere.
  std::uint32_t roomiest(std::uint32_t object) const {
    return rooms_.value(rooms_.maximum()) >= load(object) ? rooms_.maximum() : nowhere;
  }
  /// Returns the rank where the object would finish first, regardless of room. Cost: O(ranks).
  std::uint32_t earliest(std::uint32_t object) const;

  void apply(std::uint32_t object, std::uint32_t to);

 private:
  double price(std::uint32_t object, std::uint32_t rank) const {
    return rank == home(object) ? 0 : goal_.migration_cost;
  }
  void change_load(std::uint32_t rank, double load);
  void meet(std::uint32_t rank) {
    if (cost_with_[rank] >= 0) return;
    cost_with_[rank] = 0;
    ranks_met_.push_back(rank);
  }

  const LDStats& stats_;
  const ProcArray& procs_;
  const Affinity& affinity_;
  CommGoal goal_;
  std::vector<std::int32_t> placement_;
  std::vector<double> finish_s_;
  MaximumTree rooms_;  ///< room of each available rank
  /// Communication cost of the current object with each rank; -1 for ranks not visited yet.
  std::vector<double> cost_with_;
  std::vector<std::uint32_t> ranks_met_;  ///< ranks with a value in cost_with_
};

template <typename Allowed>
CommPlacement::Move CommPlacement::best_move(std::uint32_t object, const Allowed& allowed) {
  const std::uint32_t here = rank(object);
  cost_with_[here] = 0;
  for (const Affinity::Partner& partner : partners(object)) {
    const std::uint32_t there = rank(partner);
    meet(there);
    cost_with_[there] += partner.cost;
  }
  if (home(object) != here) meet(home(object));

  const double cost_here = cost_with_[here] - price(object, here);
  Move best;
  for (const std::uint32_t there : ranks_met_) {
    const double gain = cost_with_[there] - price(object, there) - cost_here;
    cost_with_[there] = -1;
    if (!available(there) || !allowed(there)) continue;
    if (best.to == nowhere || gain > best.gain || (gain == best.gain && room(there) > room(best.to)))
      best = {there, gain};
  }
  if (best.to == nowhere) best.gain = -cost_here - goal_.migration_cost;
  cost_with_[here] = -1;
  ranks_met_.clear();
  return best;
}

}  // namespace plimsoll::balance
