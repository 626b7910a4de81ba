#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "balance/search/work_goal.hpp"

namespace plimsoll::inline v0_1::balance {

/// from_proc with the migratable objects nowhere (WorkState::nowhere).
std::vector<std::int32_t> sentinels_only(const LDStats& stats);

/// The work of each rank (WorkModel) while objects come and go one at a time. What an object that is nowhere
/// would cost doesn't count, so that work and memory only grow as objects are placed.
class WorkState {
 public:
  static constexpr std::int32_t nowhere = -1;

  /// Objects are at `placement`, or nowhere. The stats must be good (ProcArray), and outlive this.
  /// O(edges + objects log objects).
  WorkState(const LDStats& stats, const WorkGoal& goal, std::span<const std::int32_t> placement);

  /// An object that is nowhere comes to a rank; one that is somewhere goes. O(edges of the object + log
  /// objects of the rank).
  void place(std::uint32_t object, std::int32_t rank);
  void take(std::uint32_t object);
  void move(std::uint32_t object, std::int32_t rank) {
    take(object);
    place(object, rank);
  }

  std::int32_t rank_of(std::uint32_t object) const { return placement_[object]; }
  const std::vector<std::int32_t>& placement() const { return placement_; }
  double work(std::int32_t rank) const { return work_[index(rank)]; }
  double max_work() const;
  /// What the work of a rank grows by with a second of load.
  double slope(std::int32_t rank) const { return slope_[index(rank)]; }
  /// Sum over ranks of (work - level)^2, by which searches feel their way.
  double unevenness() const { return unevenness_; }
  void set_level(double level);

  /// Empty if memory isn't known.
  const std::optional<MemoryUse>& memory() const { return memory_; }
  /// The most memory that a rank, or its node, may have: the limit, or what it has at from_proc if that is
  /// more.
  bool fits(std::int32_t rank) const;
  double memory_excess() const;
  /// Whether two ranks have equal memory and may have equally much.
  bool allows_the_same(std::int32_t rank, std::int32_t other) const;

  struct Edge {
    std::uint32_t other = 0;
    bool outgoing = false;
    double bytes = 0;
  };
  std::span<const Edge> edges(std::uint32_t object) const {
    return std::span(edges_).subspan(first_edge_[object], first_edge_[object + 1] - first_edge_[object]);
  }

 private:
  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  void connect(std::uint32_t object, std::int32_t rank, double sign);
  void refresh(std::int32_t rank);
  void build_edges();

  const LDStats& stats_;
  const WorkGoal& goal_;
  std::vector<std::int32_t> placement_;
  std::vector<double> slope_;
  std::vector<double> finish_s_;
  std::vector<double> sent_;
  std::vector<double> received_;
  std::vector<double> work_;
  double level_ = 0;
  double unevenness_ = 0;
  std::optional<MemoryUse> memory_;
  std::vector<double> allowed_;
  std::vector<double> allowed_of_node_;
  std::vector<std::size_t> allowed_blocks_;
  std::vector<std::size_t> first_edge_;
  std::vector<Edge> edges_;
};

}  // namespace plimsoll::balance
