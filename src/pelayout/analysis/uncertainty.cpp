#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/repeats.hpp"
#include "pelayout/models/curve_fit.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Number of standard deviations around the mean that contain 90 % of a normal distribution.
constexpr double deviations_for_90_percent = 1.6448536269514722;

constexpr double share_per_doubling = 0.05;

/// Typical relative error of a curve through two measurements, which shows none at them. With it, left-out
/// points of real curves lie in the range of two others as often as in that of more.
constexpr double typical_error_of_two_points = 0.1;

/// Ratio of the maximum and minimum measured counts from which measurements show how a component scales.
/// Repeated runs on nearer counts differ by as much as the scaling.
constexpr double smallest_span = 1.25;

double spread(const Sample& sample) {
  return sample.cost > 0 ? (sample.maximum - sample.minimum) / sample.cost : 0;
}

/// Multiple of Uncertainty::share() that exceeds 90 % of the errors for left-out points of 15 real curves,
/// both within the measured range and one step beyond.
constexpr double shares_for_90_percent = 2.3;

/// Fits a/n + d to samples, without the term with which the model follows curves that turn.
ScalingCurve fit_without_turn(std::span<const Sample> samples) {
  std::vector<WeightedPoint> points;
  for (const Sample& sample : samples)
    if (sample.cost > 0)
      points.push_back({static_cast<double>(sample.tasks), sample.cost, 1 / (sample.cost * sample.cost)});
  return points.empty() ? ScalingCurve{} : least_squares(points, {.constant = points.size() > 1});
}

}  // namespace

UncertainTime UncertainTime::within(double mean, double error) {
  const double deviation = error / deviations_for_90_percent;
  return {mean, deviation * deviation};
}

TimeRange UncertainTime::range() const {
  const double error = deviations_for_90_percent * std::sqrt(variance);
  return {mean > 0 ? mean * lower_factor(error / mean) : 0, mean + error};
}

double lower_factor(double error) {
  return error <= 0.5 ? 1 - error : 0.25 / error;
}

UncertainTime maximum(const UncertainTime& one, const UncertainTime& other) {
  const double deviation = std::sqrt(one.variance + other.variance);
  if (deviation == 0) return {std::max(one.mean, other.mean), 0};
  const double gap = one.mean - other.mean;
  const double distance = gap / deviation;
  const double share = std::erfc(-distance / std::numbers::sqrt2) / 2;  // how often `one` is the longer one
  const double density =
      std::exp(-distance * distance / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2 * deviation;
  const double variance = one.variance * share + other.variance * (1 - share) +
                          gap * gap * share * (1 - share) + gap * density * (1 - 2 * share) -
                          density * density;
  return {other.mean + gap * share + density, std::max(0.0, variance)};
}

double doublings(std::int64_t one, std::int64_t other) {
  return std::abs(std::log2(static_cast<double>(one) / static_cast<double>(other)));
}

Uncertainty::Uncertainty(const Component& component, std::int64_t threads, const ScalingModel& model)
    : model_(model) {
  std::ranges::copy_if(component.samples, std::back_inserter(samples_),
                       [&](const Sample& sample) { return sample.threads == threads; });
  PLIMSOLL_EXPECT(!samples_.empty());
  fit_ = make_scaling_model(ModelKind::fit, component, threads, samples_.back().tasks);
  without_turn_ = fit_without_turn(samples_);
}

double Uncertainty::share(std::int64_t tasks) const {
  const Sample& known = nearest(tasks);
  return disagreement(tasks) + spread(known) + share_per_doubling * doublings(tasks, known.tasks);
}

double Uncertainty::shortest(std::int64_t tasks) const {
  const auto above = std::ranges::lower_bound(samples_, tasks, {}, &Sample::tasks);
  double cost = above == samples_.end() ? 0 : above->cost;
  if (above != samples_.begin()) {
    const Sample& below = *std::prev(above);
    cost = std::max(cost, below.cost * static_cast<double>(below.tasks) / static_cast<double>(tasks));
  }
  return std::min(cost, model_.cost(tasks));
}

std::string Uncertainty::reason(std::int64_t tasks) const {
  const auto above = std::ranges::lower_bound(samples_, tasks, {}, &Sample::tasks);
  if (above == samples_.end()) return fmt::format("beyond the {} tasks measured", samples_.back().tasks);
  if (above->tasks == tasks) {
    if (above->repeats == 1) return "measured once";
    return fmt::format("{} measurements that differ by {}", above->repeats,
                       support::format_percentage(spread(*above)));
  }
  if (above == samples_.begin()) return fmt::format("below the {} tasks measured", above->tasks);
  return fmt::format("no measurements between {} and {} tasks", std::prev(above)->tasks, above->tasks);
}

std::vector<std::int64_t> Uncertainty::measured() const {
  std::vector<std::int64_t> counts;
  for (const Sample& sample : samples_) counts.push_back(sample.tasks);
  return counts;
}

double Uncertainty::disagreement(std::int64_t tasks) const {
  std::vector<double> costs = {model_.cost(tasks), fit_->cost(tasks),
                               without_turn_(static_cast<double>(tasks)), power_law(tasks)};
  if (!shows_scaling()) costs.push_back(nearest(tasks).cost);  // the cost if it does not scale at all
  const auto [minimum, maximum] = std::ranges::minmax(costs);
  return maximum > 0 ? std::max((maximum - minimum) / maximum, typical_error()) : 0;
}

bool Uncertainty::shows_scaling() const {
  return static_cast<double>(samples_.back().tasks) >=
         smallest_span * static_cast<double>(samples_.front().tasks);
}

double Uncertainty::typical_error() const {
  return samples_.size() == 2 ? typical_error_of_two_points : fit_->quality()->typical_error;
}

double Uncertainty::power_law(std::int64_t tasks) const {
  auto right = std::ranges::lower_bound(samples_, tasks, {}, &Sample::tasks);
  if (right == samples_.end()) --right;
  if (right == samples_.begin() && samples_.size() > 1) ++right;
  const Sample& last = *right;
  double exponent = -1;  // exponent of perfect scaling, the only assumption possible with one point
  if (right != samples_.begin() && last.cost > 0 && std::prev(right)->cost > 0) {
    const Sample& first = *std::prev(right);
    exponent = std::log2(last.cost / first.cost) / doublings(last.tasks, first.tasks);
  }
  return last.cost * std::pow(static_cast<double>(tasks) / static_cast<double>(last.tasks), exponent);
}

const Sample& Uncertainty::nearest(std::int64_t tasks) const {
  return *std::ranges::min_element(samples_, {},
                                   [&](const Sample& sample) { return doublings(tasks, sample.tasks); });
}

UncertainTime uncertain_cost(double cost, const Uncertainty& uncertainty, std::int64_t tasks) {
  return UncertainTime::within(cost, shares_for_90_percent * uncertainty.share(tasks) * cost);
}

UncertainModels::UncertainModels(const Planner& planner, std::int64_t total)
    : planner_(planner), models_(planner.models(total)) {}

bool UncertainModels::has(const std::string& component, std::int64_t threads) const {
  const ComponentModel* const model = find_model(models_, component);
  return model != nullptr && model->by_threads.contains(threads);
}

UncertainTime UncertainModels::cost(const std::string& component, std::int64_t tasks, std::int64_t threads) {
  const double cost = find_model(models_, component, threads)->cost(tasks);
  return uncertain_cost(priced(cost, planner_.layout().rule(component)), uncertainty(component, threads),
                        tasks);
}

UncertainTime UncertainModels::time(const Solution& solution) {
  UncertainCosts costs;
  for (const Place& place : solution.places)
    costs[place.component] =
        uncertain_cost(place.cost, uncertainty(place.component, place.threads), place.tasks);
  return layout_time(planner_.layout(), costs);
}

double UncertainModels::shortest_time(const Solution& solution) {
  ComponentCosts shortest;
  for (const Place& place : solution.places)
    shortest[place.component] = priced(uncertainty(place.component, place.threads).shortest(place.tasks),
                                       planner_.layout().rule(place.component));
  return factors_of_repeats().min * layout_time(planner_.layout(), shortest);
}

const Uncertainty& UncertainModels::uncertainty(const std::string& component, std::int64_t threads) {
  return uncertainties_
      .try_emplace({component, threads}, *planner_.problem().find(component), threads,
                   *find_model(models_, component, threads))
      .first->second;
}

UncertainTime uncertain_time(const Planner& planner, const Solution& solution, std::int64_t total) {
  return UncertainModels(planner, total).time(solution);
}

}  // namespace plimsoll::pelayout
