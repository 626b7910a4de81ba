#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Communication partners of each object, in either direction: migratable objects, non-migratable objects and
/// processors.
class Affinity {
 public:
  struct Partner {
    CommEnd end;
    double cost;  ///< cost on different ranks: bytes + per_message * messages
  };

  /// Throws Error (bad_input) for an edge to an object or processor that does not exist, or with bytes or
  /// messages that are negative or not finite. Cost: O(objects + edges).
  Affinity(const LDStats& stats, double per_message);

  /// Returns the partners in the order of LDStats::comm_data.
  std::span<const Partner> partners(std::uint32_t object) const {
    return std::span(partners_).subspan(begin_[object], begin_[object + 1] - begin_[object]);
  }
  /// Returns the cost of all edges that may connect different ranks.
  double total_cost() const { return total_cost_; }

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<Partner> partners_;
  double total_cost_ = 0;
};

/// Intermediate placement: the finish time of each rank, and the effect of a migration on communication. No
/// rank that receives an object finishes after `limit_s`.
class CommPlacement {
 public:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  struct Move {
    std::uint32_t to = nowhere;
    double gain = 0;  ///< saved off-rank cost; negative if it increases
  };

  /// Starts with objects at `placement`. The other arguments must outlive this object. Cost: O(objects +
  /// ranks log ranks).
  CommPlacement(const LDStats& stats, const ProcArray& procs, const Affinity& affinity, double limit_s,
                std::vector<std::int32_t> placement);

  std::uint32_t n_objects() const { return static_cast<std::uint32_t>(placement_.size()); }
  bool migratable(std::uint32_t object) const { return stats_.obj_data[object].migratable; }
  std::uint32_t rank(std::uint32_t object) const { return static_cast<std::uint32_t>(placement_[object]); }
  double load(std::uint32_t object) const { return static_cast<double>(stats_.obj_data[object].walltime); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  /// Returns whether objects have to leave `rank`, because it finishes after the limit or is not available.
  bool has_to_give(std::uint32_t rank) const { return !available(rank) || finish_s_[rank] > give_s_; }
  std::span<const Affinity::Partner> partners(std::uint32_t object) const {
    return affinity_.partners(object);
  }

  /// Returns the migration of an object to the rank with room that has most of its communication. Ties go to
  /// the rank with the most room. If no such rank exists, `gain` is the gain of a migration to any other
  /// rank. Cost: O(partners).
  Move to_partners(std::uint32_t object);
  /// Returns the rank with the most room if the object fits there, else nowhere.
  std::uint32_t roomiest(std::uint32_t object) const;
  /// Returns the migration to the rank where the object would finish first, regardless of room. Cost:
  /// O(ranks).
  Move to_earliest(std::uint32_t object);

  void apply(std::uint32_t object, std::uint32_t to);

  const std::vector<std::int32_t>& placement() const { return placement_; }

 private:
  double room(std::uint32_t rank) const { return (limit_s_ - finish_s_[rank]) * procs_.procs[rank].pe_speed; }
  void change_load(std::uint32_t rank, double load);

  const LDStats& stats_;
  const ProcArray& procs_;
  const Affinity& affinity_;
  double limit_s_;
  double give_s_;
  std::vector<std::int32_t> placement_;
  std::vector<double> finish_s_;
  std::set<std::pair<double, std::uint32_t>> rooms_;  ///< available ranks
  std::vector<double> cost_with_;         ///< communication cost of the current object with each rank
  std::vector<std::uint32_t> ranks_met_;  ///< ranks with a value in cost_with_
};

}  // namespace plimsoll::balance
