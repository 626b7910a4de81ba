#pragma once

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Uncertainty of one component's cost for one thread count, by the rule in next_runs().
class Uncertainty {
 public:
  /// Uses `model`, the model of the solutions. The component must have samples for this thread count.
  Uncertainty(const Component& component, std::int64_t threads, const ScalingModel& model);

  /// Returns the uncertainty of the cost at a count, relative to the cost.
  double share(std::int64_t tasks) const;
  /// Describes the main source of the uncertainty in words.
  std::string reason(std::int64_t tasks) const;
  /// Returns the measured counts, ascending.
  std::vector<std::int64_t> measured() const;

 private:
  double disagreement(std::int64_t tasks) const;
  double typical_error() const;
  double power_law(std::int64_t tasks) const;
  const Sample& nearest(std::int64_t tasks) const;

  std::vector<Sample> samples_;
  const ScalingModel& model_;
  std::unique_ptr<const ScalingModel> fit_;
};

/// Returns the number of doublings between two counts.
double doublings(std::int64_t one, std::int64_t other);

/// Returns a component's cost on `tasks` tasks with its error. The error is a multiple of
/// Uncertainty::share(), calibrated so that 90 % of the points of real curves lie within their range if they
/// are predicted from the other points.
UncertainTime uncertain_cost(double cost, const Uncertainty& uncertainty, std::int64_t tasks);

/// Returns the time of a solution with its error, from the independent errors of its components' costs.
/// `models` are those of the solution. O(components).
UncertainTime uncertain_time(const Planner& planner, std::span<const ComponentModel> models,
                             const Solution& solution);

}  // namespace plimsoll::pelayout
