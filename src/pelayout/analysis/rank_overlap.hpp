#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The rank after a component's last; a double, since files may say anything.
double end_rank(const ComponentTiming& timing);

/// What is odd about the ranks that a run's components had, for a layout expression, one sentence each: parts
/// side by side that share ranks, and parts in sequence that share none. All components of the expression
/// must be in the run.
std::vector<std::string> contradictions(const LayoutExpression& expression, const TimingFile& run);

}  // namespace plimsoll::pelayout
