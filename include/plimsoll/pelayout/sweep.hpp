#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::pelayout {

/// "512:8192:512", "1024", "512,1024,2048": the totals, ascending. Throws Error (usage) for another text, or
/// for more than 100,000 totals.
std::vector<std::int64_t> parse_totals(std::string_view text);

/// The best layout for one total.
struct SweepPoint {
  std::int64_t total = 0;
  Solution solution;
  double throughput = 0;  ///< simulated years per day
  double core_hours = 0;  ///< per simulated year, of all processors of the total
  bool pareto = false;    ///< no other point is both faster and cheaper
};

struct Sweep {
  std::vector<SweepPoint> points;        ///< by total; those with a solution
  std::vector<std::int64_t> infeasible;  ///< totals without
  std::optional<std::size_t>
      knee;  ///< of the Pareto front: the point farthest from the line between its ends
};

/// Solves for each total. Only for costs in seconds per model day.
Sweep sweep(const Planner& planner, const std::vector<std::int64_t>& totals);

/// What is minimised: time alone, core hours alone, or between: weight 1 is time, 0 is cost; both are scaled
/// to 0..1 over the candidates (Palomas et al., GMD 18, 3661, 2025).
struct Objective {
  double weight_of_time = 1;
};

/// "time", "cost", "ratio=0.5". Throws Error (usage) for another.
Objective parse_objective(std::string_view text);

/// The best point of a sweep by an objective; nothing if it is empty.
std::optional<std::size_t> best(const Sweep& sweep, const Objective& objective);

}  // namespace plimsoll::pelayout
