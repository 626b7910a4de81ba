#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

void mark_pareto_front(std::vector<SweepPoint>& points) {
  std::vector<std::size_t> by_time(points.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::ranges::stable_sort(by_time, {}, [&](std::size_t point) {
    return std::pair(points[point].solution.time, points[point].core_hours);
  });
  double cheapest = std::numeric_limits<double>::infinity();
  for (const std::size_t k : by_time) {
    points[k].pareto = points[k].core_hours < cheapest;
    cheapest = std::min(cheapest, points[k].core_hours);
  }
}

/// Scales values between the minimum and the maximum to 0..1.
class Scale {
 public:
  void include(double value) {
    minimum_ = std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
  }
  double operator()(double value) const {
    if (value <= minimum_) return 0;
    return value >= maximum_ ? 1 : (value - minimum_) / (maximum_ - minimum_);
  }

 private:
  double minimum_ = std::numeric_limits<double>::infinity();
  double maximum_ = -std::numeric_limits<double>::infinity();
};

struct Scales {
  Scale throughput;
  Scale core_hours;

  void include(const SweepPoint& point) {
    throughput.include(point.throughput);
    core_hours.include(point.core_hours);
  }
};

/// Finds the knee of the Pareto front. The ends of the front scale to (0, 0) and (1, 1), so that the distance
/// from the line between them is proportional to throughput minus cost.
std::optional<std::size_t> find_knee(const std::vector<SweepPoint>& points) {
  Scales scales;
  for (const SweepPoint& point : points) {
    if (point.pareto) scales.include(point);
  }
  std::optional<std::size_t> knee;
  double farthest = 1e-9;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!points[k].pareto) continue;
    const double distance = scales.throughput(points[k].throughput) - scales.core_hours(points[k].core_hours);
    if (distance <= farthest) continue;
    farthest = distance;
    knee = k;
  }
  return knee;
}

}  // namespace

Sweep sweep(const Planner& planner, const std::vector<std::int64_t>& totals) {
  if (planner.problem().unit != CostUnit::seconds_per_day) {
    throw support::usage_error("cannot compare totals: costs must be seconds per model day",
                               "use costs per model day, not total seconds");
  }
  Sweep sweep;
  std::vector<std::optional<Solution>> solutions = planner.solve_each(totals);
  for (std::size_t k = 0; k < totals.size(); ++k) {
    if (!solutions[k]) {
      sweep.infeasible.push_back(totals[k]);
      continue;
    }
    SweepPoint& point = sweep.points.emplace_back();
    point.total = totals[k];
    point.solution = std::move(*solutions[k]);
    point.throughput = throughput(point.solution.time);
    point.core_hours = core_hours(point.solution.time,
                                  reserved_processors(point.solution, point.total, planner.counts_threads()));
  }
  mark_pareto_front(sweep.points);
  sweep.knee = find_knee(sweep.points);
  return sweep;
}

std::optional<std::size_t> best(const Sweep& sweep, const Objective& objective) {
  Scales scales;
  for (const SweepPoint& point : sweep.points) scales.include(point);
  const double weight = objective.weight_of_time;
  const auto rank = [&](const SweepPoint& point) {
    const double slowness = 1 - scales.throughput(point.throughput);
    const double cost = scales.core_hours(point.core_hours);
    return std::pair(weight * slowness + (1 - weight) * cost, slowness + cost);
  };
  const auto found = std::ranges::min_element(sweep.points, {}, rank);
  if (found == sweep.points.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sweep.points.begin());
}

}  // namespace plimsoll::pelayout
