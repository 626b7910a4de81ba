#include "pelayout/analysis/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double share_per_doubling = 0.05;

/// Typical relative error of a curve through two measurements, which shows none at them. With it, left-out
/// points of real curves lie in the range of two others as often as in that of more.
constexpr double typical_error_of_two_points = 0.1;

double spread(const Sample& sample) {
  return sample.cost > 0 ? (sample.maximum - sample.minimum) / sample.cost : 0;
}

}  // namespace

double doublings(std::int64_t one, std::int64_t other) {
  return std::abs(std::log2(static_cast<double>(one) / static_cast<double>(other)));
}

Uncertainty::Uncertainty(const Component& component, std::int64_t threads, const ScalingModel& model)
    : model_(model) {
  std::ranges::copy_if(component.samples, std::back_inserter(samples_),
                       [&](const Sample& sample) { return sample.threads == threads; });
  PLIMSOLL_EXPECT(!samples_.empty());
  fit_ = make_scaling_model(ModelKind::fit, component, threads, samples_.back().tasks);
}

double Uncertainty::share(std::int64_t tasks) const {
  const Sample& known = nearest(tasks);
  return disagreement(tasks) + spread(known) + share_per_doubling * doublings(tasks, known.tasks);
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
  std::vector<double> costs = {model_.cost(tasks), fit_->cost(tasks), power_law(tasks)};
  if (samples_.size() == 1) costs.push_back(samples_.front().cost);  // the cost if it does not scale at all
  const auto [minimum, maximum] = std::ranges::minmax(costs);
  return maximum > 0 ? std::max((maximum - minimum) / maximum, typical_error()) : 0;
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

}  // namespace plimsoll::pelayout
