#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Writes the tasks of phases of a data set in the Trace Event Format (JSON array), which
/// https://ui.perfetto.dev and chrome://tracing display. A process of the trace is a rank, with two threads:
/// its phases and its tasks.
///
/// LB data contain loads, but no points in time. The trace therefore shows the run without waiting inside a
/// phase: a phase begins when the rank with the maximum load has finished the previous one, and the tasks of
/// a rank follow each other in the order of the file. Subphases are not shown.
///
/// Returns the number of tasks. Cost: O(tasks); memory does not grow with the tasks. Source: "Trace Event
/// Format" (Google), complete events "X" and metadata events "M". Throws Error (bad_input) if a load is
/// negative or not finite.
std::uint64_t write_phase_trace(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                                const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::report
