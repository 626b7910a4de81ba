#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// "512:8192:512" (8192 included), "1024", "2048,512,1024": the totals, ascending, each once. Throws Error
/// (usage) for another text, for totals below 1 or above 100,000,000, and for more than 100,000 of them.
std::vector<std::int64_t> parse_totals(std::string_view text);

/// The best layout for one total.
struct SweepPoint {
  std::int64_t total = 0;  ///< of tasks, or of processors (Planner::counts_threads())
  Solution solution;
  double throughput = 0;  ///< simulated years per day
  /// Per simulated year, of all processors of the total, busy or not. If the total is one of tasks, since
  /// threads are given (Planner::counts_threads()), each has as many as the component with most threads:
  /// nodes are reserved so.
  double core_hours = 0;
  bool pareto = false;  ///< no other point is at least as fast and as cheap, and better in one
};

/// The best layouts for several totals.
struct Sweep {
  std::vector<SweepPoint> points;        ///< by total; those with a solution
  std::vector<std::int64_t> infeasible;  ///< totals without
  /// Of the Pareto front: with throughput and core hours scaled to 0..1, the point farthest from the line
  /// between the front's ends, on the fast and cheap side of it. Nothing where no point is on that side, so
  /// with fewer than three.
  std::optional<std::size_t> knee;
};

/// Solves for each total. Throws Error (usage) unless costs are in seconds per model day.
Sweep sweep(const Planner& planner, const std::vector<std::int64_t>& totals);

/// What is sought: weight 1 is time alone, 0 is core hours alone. Between, the sum of both is minimised: how
/// far a point's throughput is below the greatest and its core hours above the least, each scaled to 0..1
/// over all points, with the weight and 1 - weight (Palomas et al., GMD 18, 3661, 2025).
struct Objective {
  double weight_of_time = 1;  ///< 0 to 1
};

/// "time", "cost", "ratio=0.5". Throws Error (usage) for another.
Objective parse_objective(std::string_view text);

/// The best point of a sweep by an objective, of equal ones that which is better in the sum of both; nothing
/// if the sweep is empty.
std::optional<std::size_t> best(const Sweep& sweep, const Objective& objective);

}  // namespace plimsoll::pelayout
