#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Coupling steps per model day that are assumed for statistics if no number is specified. Most cases of CESM
/// and E3SM couple every 30 minutes (ATM_NCPL=48).
inline constexpr std::int64_t usual_steps_per_day = 48;

/// Value of `check` in the warning that usual_steps_per_day is assumed.
inline constexpr const char* assumed_steps_check = "steps-per-day";

/// Checks a number of coupling steps per day. Throws Error (usage) unless it is between 1 and 86,400.
void check_steps_per_day(std::int64_t steps);

/// Returns whether a text looks like statistics of the timing library GPTL.
bool is_timing_statistics(std::string_view text);

/// Reads the statistics over all ranks that GPTL writes to the file `model_timing_stats` of a run, and from
/// which CIME computes a timing profile. The result has the times of the profile. It lacks case, machine,
/// grid, compset and the names of the models. The log ID and the number of the driver come from the path.
/// Threads, roots and strides of the components are derived from their timers: threads and strides may be too
/// small.
///
/// The statistics count the coupling steps, but not the model days. Without `steps_per_day`,
/// usual_steps_per_day is assumed, with a warning. A text that ends with a timer, without the empty line that
/// GPTL writes after the last one, causes a warning too. Throws Error (bad_input), with file and line, for
/// - a text that is not a statistics file, or that was written by another program than CIME's driver,
/// - a truncated text and invalid numbers,
/// - a run that has no whole number of days with usual_steps_per_day, unless `steps_per_day` is specified.
///
/// Throws Error (usage) as check_steps_per_day() does.
///
/// O(size of the text). Sources: CIME's get_timing.py for the mapping of timers to components;
/// GPTLpr_summary() of GPTL for the format.
TimingFile parse_timing_statistics(std::string_view text, const std::string& path,
                                   std::optional<std::int64_t> steps_per_day = {});

}  // namespace plimsoll::pelayout
