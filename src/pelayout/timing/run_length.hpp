#pragma once

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Sets the coupling steps of a run, and its model days if the steps per day are known. Otherwise a warning
/// says that times are per coupling step. Another one reports a fraction of a day.
void set_run_length(std::int64_t steps, std::optional<std::int64_t> steps_per_day, TimingFile& run);

/// Returns the divisor of times "per day": the model days, or the coupling steps if the days are unknown.
double run_length(const TimingFile& run);

/// Sets the total time of a run in seconds, and the throughput if its days are known.
void set_total(double seconds, TimingFile& run);

}  // namespace plimsoll::pelayout
