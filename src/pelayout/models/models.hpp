#pragma once

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Share of a component's cost that is assumed to scale perfectly if only one task count was measured; the
/// rest is assumed to be constant. With it, the atmospheres and land models of CESM3 and NorESM3 runs are
/// predicted from half and twice as many tasks with errors of a few percent.
constexpr double scaling_share = 0.9;

/// Makes the fitted model of make_scaling_model() from a component's measured points.
std::unique_ptr<ScalingModel> make_fitted_model(const Component& component, std::vector<ModelPoint> points);

/// Returns whether the component costs nothing, like a stub. A single point is enough for such a component.
bool cost_nothing(std::span<const ModelPoint> points);

/// Adds a rule's overhead and wait to a cost that a model predicts.
inline double priced(double cost, const ComponentRule& rule) {
  return cost * (1 + rule.overhead) + rule.wait;
}

/// Returns whether a component was measured on at most one task count.
bool was_measured_once(const Component& component);

/// Returns the median; 0 without values.
double median(std::vector<double> values);

/// Returns the models of a component, or null if it has none.
const ComponentModel* find_model(std::span<const ComponentModel> models, const std::string& component);

/// Returns a component's model for a thread count. If it is missing, returns the model for the lowest
/// measured thread count, because layouts may ignore threads. Returns null if the component has no models.
const ScalingModel* find_model(std::span<const ComponentModel> models, const std::string& component,
                               std::int64_t threads);

/// Returns the task counts up to `max_tasks` that a rule allows and that are multiples of a block size,
/// ascending. Time and memory depend only on the number of counts returned. Throws Error (bad_input) for more
/// than max_table_entries counts.
std::vector<std::int64_t> admitted_task_counts(const ComponentRule& rule, std::int64_t block_size,
                                               std::int64_t max_tasks);

/// Returns the minimum count that a rule allows, however large. Empty if the rule contradicts itself or the
/// block size.
std::optional<std::int64_t> minimum_admitted_task_count(const ComponentRule& rule, std::int64_t block_size);

}  // namespace plimsoll::pelayout
