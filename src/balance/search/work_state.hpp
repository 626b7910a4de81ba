#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Objective and constraints of strategies that use the work model.
struct WorkGoal {
  WorkCoefficients coefficients;
  Limits limits;
  std::int64_t max_blocks = -1;  ///< maximum number of distinct shared blocks per rank; negative: unlimited
  bool weigh_ranks = true;       ///< whether ProcStats::rank_alpha counts

  /// Creates the goal to minimise the maximum load.
  WorkGoal() = default;
  /// Returns the goal to minimise the maximum finish time (finish_times()) within limits.
  static WorkGoal of_time(const Limits& limits);
  /// Reads the parameters that parameters() lists and the parameters of Limits. Throws Error (usage) for a
  /// coefficient that is negative or not finite.
  WorkGoal(const std::string& owner, const Parameters& parameters);
  /// Returns `alpha`, `beta`, `beta_node`, `gamma` and `delta`.
  static const std::vector<ParameterSpec>& parameters();

  /// Returns (bytes of memory above the limits, maximum work).
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const;
  /// Returns the work per second of finish time.
  double alpha(const ProcStats& proc) const {
    return coefficients.alpha * (weigh_ranks ? proc.rank_alpha : 1);
  }
  /// Returns whether each rank's work depends only on the sum of its objects' loads.
  bool is_load_only() const { return !coefficients.weigh_traffic() && coefficients.delta == 0; }
};

/// Returns the error for objects that have to leave unavailable ranks but fit on no other rank.
Error cannot_evacuate();

/// Returns from_proc with all migratable objects unplaced (WorkState::nowhere).
std::vector<std::int32_t> non_migratable_only(const LDStats& stats);

/// Returns whether an object can migrate and is on an unavailable rank.
bool has_to_leave(const LDStats& stats, std::size_t object);

/// Returns from_proc with the objects of unavailable ranks placed, heaviest first, each where it fits and
/// causes minimum work. The result is empty if an object fits nowhere.
std::optional<std::vector<std::int32_t>> evacuated(const LDStats& stats, const WorkGoal& goal);

/// Work of each rank (WorkModel) while objects are placed and removed one at a time. Unplaced objects cost
/// nothing, so work and memory only grow as objects are placed.
class WorkState {
 public:
  static constexpr std::int32_t nowhere = -1;

  /// Starts with objects at `placement`, or unplaced. The stats must be valid (ProcArray) and outlive this
  /// object. Cost: O(edges + objects log objects).
  WorkState(const LDStats& stats, const WorkGoal& goal, std::span<const std::int32_t> placement);

  /// Places an unplaced object on `rank`; take() removes it. Cost: O(edges of the object + log objects of the
  /// rank).
  void place(std::uint32_t object, std::int32_t rank);
  void take(std::uint32_t object);
  void move(std::uint32_t object, std::int32_t rank) {
    take(object);
    place(object, rank);
  }

  std::int32_t rank_of(std::uint32_t object) const { return placement_[object]; }
  const std::vector<std::int32_t>& placement() const { return placement_; }
  double work(std::int32_t rank) const { return work_[at(rank)]; }
  double max_work() const { return work_.empty() ? 0 : std::ranges::max(work_); }
  double total_work() const { return std::accumulate(work_.begin(), work_.end(), 0.0); }
  /// Returns the increase of the rank's work per second of load.
  double slope(std::int32_t rank) const { return slope_[at(rank)]; }
  /// Returns the sum over ranks of (work - level)^2, which guides searches.
  double unevenness() const { return unevenness_; }
  void set_level(double level);

  const std::optional<MemoryUse>& memory() const { return memory_; }
  /// Returns whether the memory of the rank and its node is within the limit, or within the memory at
  /// from_proc if that is more.
  bool fits(std::int32_t rank) const;
  double memory_excess() const;
  /// Returns whether two ranks have equal memory use and equal memory limits.
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
  std::optional<MemoryAllowance> allowed_;
  std::vector<std::size_t> allowed_blocks_;
  std::vector<std::size_t> first_edge_;
  std::vector<Edge> edges_;
};

/// Returns a lower bound on the maximum work per rank of any placement. It is the maximum of four bounds. The
/// first is all load, spread evenly over the available ranks in multiples of the common unit. The others are
/// the heaviest object, the objects that must share one rank, and the fixed work of one rank. Communication
/// and off-home shared blocks count as 0. Cost: O(objects log objects).
double work_bound_without_limits(const LDStats& stats, const WorkGoal& goal);

/// Returns the largest number of which all loads are multiples; 0 without load. The result is exact, and
/// therefore tiny for measured loads. It is >= 1 for loads in whole units.
double common_unit(std::span<const double> loads);

}  // namespace plimsoll::balance
