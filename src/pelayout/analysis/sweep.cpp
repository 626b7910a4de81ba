#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/analysis/estimator.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

void mark_pareto_front(std::vector<SweepPoint>& points) {
  std::vector<std::size_t> by_time(points.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::ranges::stable_sort(by_time, {}, [&](std::size_t point) {
    return std::pair(points[point].time, points[point].core_hours);
  });
  double cheapest = std::numeric_limits<double>::infinity();
  for (const std::size_t k : by_time) {
    points[k].pareto = points[k].core_hours < cheapest;
    cheapest = std::min(cheapest, points[k].core_hours);
  }
}

/// Returns a function that scales a value of points to 0..1, between its minimum and maximum.
template <class Points>
auto scale_of(Points&& points, double SweepPoint::*value) {
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -minimum;
  for (const SweepPoint& point : points) {
    minimum = std::min(minimum, point.*value);
    maximum = std::max(maximum, point.*value);
  }
  return [=](const SweepPoint& point) {
    if (point.*value <= minimum) return 0.0;
    return point.*value >= maximum ? 1.0 : (point.*value - minimum) / (maximum - minimum);
  };
}

/// Finds the knee of the Pareto front. The ends of the front scale to (0, 0) and (1, 1), so that the distance
/// from the line between them is proportional to throughput minus cost.
std::optional<std::size_t> find_knee(const std::vector<SweepPoint>& points) {
  std::vector<SweepPoint> front;
  std::ranges::copy_if(points, std::back_inserter(front), &SweepPoint::pareto);
  const auto throughput = scale_of(front, &SweepPoint::throughput);
  const auto core_hours = scale_of(front, &SweepPoint::core_hours);
  std::optional<std::size_t> knee;
  double farthest = 1e-9;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double distance = points[k].pareto ? throughput(points[k]) - core_hours(points[k]) : 0;
    if (distance <= farthest) continue;
    farthest = distance;
    knee = k;
  }
  return knee;
}

constexpr std::int64_t max_totals = 100'000;
constexpr std::int64_t max_total = 100'000'000;  // larger than any machine; tables have one entry per count

Error no_totals(std::string_view text, const std::string& why) {
  return support::usage_error(fmt::format("invalid total tasks {}: {}", support::in_quotes(text), why),
                              "use a number (1024), several (512,1024), or first:last:step (512:8192:512)");
}

std::vector<std::int64_t> numbers(std::string_view text, char separator) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : support::split(text, separator)) {
    const auto value = support::parse_number<std::int64_t>(part);
    if (!value) throw no_totals(text, fmt::format("{} is not an integer", support::in_quotes(part)));
    if (*value < 1 || *value > max_total)
      throw no_totals(text, fmt::format("{} must be between 1 and {}", *value, max_total));
    numbers.push_back(*value);
  }
  return numbers;
}

std::vector<std::int64_t> range(std::string_view text) {
  const std::vector<std::int64_t> bounds = numbers(text, ':');
  if (bounds.size() != 3) throw no_totals(text, "a range must have three numbers");
  const std::int64_t first = bounds[0], last = bounds[1], step = bounds[2];
  if (last < first) throw no_totals(text, "the end must not be below the start");
  if ((last - first) / step >= max_totals)
    throw no_totals(text, fmt::format("more than {} totals", max_totals));
  std::vector<std::int64_t> totals;
  for (std::int64_t total = first; total <= last; total += step) totals.push_back(total);
  return totals;
}

}  // namespace

Sweep sweep(const Planner& planner, const std::vector<std::int64_t>& totals, const KnownRuns* runs) {
  if (planner.problem().unit != CostUnit::seconds_per_day)
    throw support::usage_error("cannot compare totals: costs must be seconds per model day",
                               planner.problem().unit == CostUnit::seconds_per_step
                                   ? "set --steps_per_day, the coupling steps per model day"
                                   : "use costs per model day, not total seconds");
  Sweep sweep;
  std::vector<std::optional<Solution>> solutions = planner.solve_each(totals);
  std::optional<Estimator> estimator;
  if (runs != nullptr) estimator.emplace(planner, *runs);
  for (std::size_t k = 0; k < totals.size(); ++k) {
    const OwnLayout* const own = runs == nullptr ? nullptr : fastest(runs->layouts, totals[k]);
    if (!solutions[k] && own == nullptr) {
      sweep.infeasible.push_back(totals[k]);
      continue;
    }
    ExpectedTime computed;
    if (solutions[k] && estimator) {
      Expectation best = estimator->best(*solutions[k], totals[k]);
      solutions[k] = std::move(best.solution);
      computed = std::move(best.expected);
    } else if (solutions[k]) {
      computed.time = solutions[k]->time;
    }
    const bool keeps_own = own != nullptr && (!solutions[k] || is_worth_keeping(*own, computed));
    SweepPoint& point = sweep.points.emplace_back();
    point.total = totals[k];
    point.solution = keeps_own ? own->solution : *solutions[k];
    point.time = keeps_own ? own->time : computed.time;
    point.throughput = throughput(point.time);
    point.core_hours = core_hours(
        point.time,
        reserved_processors(point.solution, keeps_own ? own->total : point.total, planner.counts_threads()));
  }
  mark_pareto_front(sweep.points);
  sweep.knee = find_knee(sweep.points);
  return sweep;
}

Sweep combined(std::span<const Sweep> sweeps) {
  Sweep all;
  for (const Sweep& one : sweeps) {
    all.points.insert(all.points.end(), one.points.begin(), one.points.end());
    all.infeasible.insert(all.infeasible.end(), one.infeasible.begin(), one.infeasible.end());
  }
  std::ranges::sort(all.points, {}, &SweepPoint::total);
  std::ranges::sort(all.infeasible);
  mark_pareto_front(all.points);
  all.knee = find_knee(all.points);
  return all;
}

std::optional<std::size_t> best(const Sweep& sweep, const Objective& objective) {
  const auto throughput = scale_of(sweep.points, &SweepPoint::throughput);
  const auto core_hours = scale_of(sweep.points, &SweepPoint::core_hours);
  const double weight = objective.weight_of_time;
  const auto rank = [&](const SweepPoint& point) {
    const double slowness = 1 - throughput(point);
    const double cost = core_hours(point);
    return std::pair(weight * slowness + (1 - weight) * cost, slowness + cost);
  };
  const auto found = std::ranges::min_element(sweep.points, {}, rank);
  if (found == sweep.points.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sweep.points.begin());
}

std::vector<std::int64_t> parse_totals(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return range(text);
  std::vector<std::int64_t> totals = numbers(text, ',');
  std::ranges::sort(totals);
  totals.erase(std::unique(totals.begin(), totals.end()), totals.end());
  if (totals.size() > max_totals) throw no_totals(text, fmt::format("more than {} totals", max_totals));
  return totals;
}

Objective parse_objective(std::string_view text) {
  if (text == "time") return {1};
  if (text == "cost") return {0};
  constexpr std::string_view ratio = "ratio=";
  if (text.starts_with(ratio)) {
    const auto weight = support::parse_number<double>(text.substr(ratio.size()));
    if (weight && *weight >= 0 && *weight <= 1) return {*weight};
  }
  throw support::usage_error(
      fmt::format("unknown objective {}", support::in_quotes(text)),
      "use time, cost, or ratio=W with the weight W of time between 0 (cost) and 1 (time)");
}

}  // namespace plimsoll::pelayout
