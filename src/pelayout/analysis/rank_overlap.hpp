#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

#include "pelayout/analysis/layout_time.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

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
