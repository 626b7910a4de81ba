#pragma once

#include <plimsoll/pelayout/prediction.hpp>

#include "pelayout/models/curve_fit.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Cost of each component.
using ComponentCosts = std::map<std::string, double>;
/// Cost of each component, with its error.
using UncertainCosts = std::map<std::string, UncertainTime>;

ComponentCosts costs(const Solution& solution);

/// Returns the time of a layout, including its overhead and wait, for given costs of its components. `costs`
/// must contain all of them.
double layout_time(const Layout& layout, const ComponentCosts& costs);
UncertainTime layout_time(const Layout& layout, const UncertainCosts& costs);

/// Adds the overhead and wait of a layout to the time of its components.
UncertainTime with_overhead(const Layout& layout, const UncertainTime& time);

/// Returns the slack of each component: the maximum increase of its time that does not change the layout's
/// time if the other times remain unchanged. It is 0 on the longest path, and on paths that are shorter only
/// because of rounding. O(components x depth).
ComponentCosts slack(const LayoutExpression& expression, const ComponentCosts& costs);

/// Returns the time for which the processors of each component wait for concurrent parts, if its components
/// take these times. The wait of a part with several components belongs to the one with the most processors.
/// O(components x depth).
ComponentCosts waiting(const LayoutExpression& expression, const Solution& solution,
                       const ComponentCosts& times);

/// Returns one sentence per contradiction between the ranks of a run's components and a layout expression.
/// Contradictions are concurrent parts that share ranks, and sequential parts that share none. The run must
/// contain all components of the expression.
std::vector<std::string> contradictions(const LayoutExpression& expression, const TimingFile& run);

/// Uncertainty of one component's cost for one thread count, by the rule in next_runs().
class Uncertainty {
 public:
  /// Uses `model`, the model of the solutions. The component must have samples for this thread count.
  Uncertainty(const Component& component, std::int64_t threads, const ScalingModel& model);

  /// Returns the uncertainty of the cost at a count, relative to the cost.
  double share(std::int64_t tasks) const;
  /// Returns a cost that a run on this count cannot fall below, except as repeated runs differ: no component
  /// scales better than perfectly, and fewer tasks do not save time unless the model says so.
  double shortest(std::int64_t tasks) const;
  /// Describes the main source of the uncertainty in words.
  std::string reason(std::int64_t tasks) const;
  std::vector<std::int64_t> measured() const;

 private:
  double disagreement(std::int64_t tasks) const;
  double typical_error() const;
  bool shows_scaling() const;
  double power_law(std::int64_t tasks) const;
  const Sample& nearest(std::int64_t tasks) const;

  std::vector<Sample> samples_;
  const ScalingModel& model_;
  std::unique_ptr<const ScalingModel> fit_;
  ScalingCurve without_turn_;
};

/// Returns the factor of the lower end of a range with a relative error: 1 - error, but always above 0. An
/// error of more than 50 % is a factor rather than a difference.
double lower_factor(double error);

/// Returns the number of doublings between two counts.
double doublings(std::int64_t one, std::int64_t other);

/// Returns a component's cost on `tasks` tasks with its error. The error is a multiple of
/// Uncertainty::share(), calibrated so that 90 % of the points of real curves lie within their range if they
/// are predicted from the other points.
UncertainTime uncertain_cost(double cost, const Uncertainty& uncertainty, std::int64_t tasks);

/// Models of all components with the uncertainties of their costs, which are made once.
class UncertainModels {
 public:
  /// Makes the models for a total. The planner must outlive this object.
  UncertainModels(const Planner& planner, std::int64_t total);

  /// Returns whether a component has a model for a number of threads.
  bool has(const std::string& component, std::int64_t threads) const;
  /// Returns the cost of a component by its model, with its error and the rules of the layout. The component
  /// must have models.
  UncertainTime cost(const std::string& component, std::int64_t tasks, std::int64_t threads);
  /// Returns the time of a solution with its error, from the independent errors of its components' costs.
  /// O(components).
  UncertainTime time(const Solution& solution);
  /// Returns the time that a run with a solution takes at least: that of Uncertainty::shortest(), reduced by
  /// the difference between repeated runs. O(components).
  double shortest_time(const Solution& solution);

 private:
  const Uncertainty& uncertainty(const std::string& component, std::int64_t threads);

  const Planner& planner_;
  std::vector<ComponentModel> models_;
  std::map<std::pair<std::string, std::int64_t>, Uncertainty> uncertainties_;  // by component and threads
};

/// Returns the time of a solution for a total with its error, see UncertainModels::time().
UncertainTime uncertain_time(const Planner& planner, const Solution& solution, std::int64_t total);

}  // namespace plimsoll::pelayout
