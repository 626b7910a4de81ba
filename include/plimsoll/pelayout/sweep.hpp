#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/own_layout.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Parses totals such as "512:8192:512" (including 8192), "1024" or "2048,512,1024". Returns them in
/// ascending order without duplicates. Throws Error (usage) for other strings, for totals below 1 or above
/// 100,000,000, and for more than 100,000 totals.
std::vector<std::int64_t> parse_totals(std::string_view text);

/// Best layout for one total.
struct SweepPoint {
  std::int64_t total = 0;  ///< total tasks, or total processors (see Planner::counts_threads())
  Solution solution;
  double time = 0;        ///< expected time of the solution
  double throughput = 0;  ///< simulated years per day
  /// Core hours per simulated year, including idle processors of the total and of its last node. If the total
  /// counts tasks (see Planner::counts_threads()), each task counts as the maximum number of threads of any
  /// component, because CIME reserves nodes in this way.
  double core_hours = 0;
  bool pareto = false;  ///< Pareto-optimal: no other point is better in speed or cost without being
                        ///< worse in the other
};

/// Best layouts for several totals.
struct Sweep {
  std::vector<SweepPoint> points;        ///< points with a solution, sorted by total
  std::vector<std::int64_t> infeasible;  ///< totals without a solution
  /// Index of the knee of the Pareto front. With throughput and core hours scaled to 0..1, this is the point
  /// farthest from the line between the front's ends, on its fast and cheap side. Empty if no point is on
  /// that side, which is always the case with fewer than three points.
  std::optional<std::size_t> knee;
};

/// Solves the problem for each total. Times are expected times (see expected_time()); if a layout of `runs`
/// fits on a total and is worth keeping, or no computed layout fits, the point contains it with the core
/// hours of its own size. Without `runs`, times are by the models. Throws Error (usage) unless costs are in
/// seconds per model day.
Sweep sweep(const Planner& planner, const std::vector<std::int64_t>& totals, const KnownRuns* runs = nullptr);

/// Combines sweeps over different totals, such as those with different layouts. O(points log points).
Sweep combined(std::span<const Sweep> sweeps);

/// Objective of a sweep: weight 1 is time alone, 0 is core hours alone. Values in between minimise a weighted
/// sum: the throughput's distance from the maximum times the weight, plus the core hours' distance from the
/// minimum times 1 - weight. Both distances are scaled to 0..1 over all points (Palomas et al., GMD 18, 3661,
/// 2025).
struct Objective {
  double weight_of_time = 1;  ///< weight from 0 to 1
};

/// Parses "time", "cost" or "ratio=0.5". Throws Error (usage) for other strings.
Objective parse_objective(std::string_view text);

/// Returns the index of the sweep's best point for an objective. The better sum of both criteria breaks ties.
/// Empty if the sweep is empty.
std::optional<std::size_t> best(const Sweep& sweep, const Objective& objective);

}  // namespace plimsoll::pelayout
