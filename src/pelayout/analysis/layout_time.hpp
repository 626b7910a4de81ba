#pragma once

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

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

/// Returns the rank after the last rank of a component, as a double because files may contain any numbers.
double end_rank(const ComponentTiming& timing);

/// Returns one sentence per contradiction between the ranks of a run's components and a layout expression.
/// Contradictions are concurrent parts that share ranks, and sequential parts that share none. The run must
/// contain all components of the expression.
std::vector<std::string> contradictions(const LayoutExpression& expression, const TimingFile& run);

/// Returns the time of an expression in the arrangement of a run: the times of concurrent parts that share
/// ranks are added. The run must contain all components of the expression.
UncertainTime time_in_run(const LayoutExpression& expression, const UncertainCosts& costs,
                          const TimingFile& run);

}  // namespace plimsoll::pelayout
