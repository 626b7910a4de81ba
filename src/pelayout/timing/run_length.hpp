#pragma once

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Sets the coupling steps of a run, if its file counts them, and its model days if they are known or follow
/// from the steps per day. Otherwise a warning says that times are per coupling step, or of the whole run.
/// Another one reports a fraction of a day.
void set_run_length(std::optional<std::int64_t> steps, const RunFacts& facts, TimingFile& run);

/// Returns the divisor of times "per day": the model days, or the coupling steps if the days are unknown. 1
/// if both are unknown.
double run_length(const TimingFile& run);

/// Returns the name of a component in layouts: upper case, with underscores for characters that names cannot
/// have ("xios.x" becomes "XIOS_X").
std::string component_name(std::string_view name);

/// Sets the total time of a run in seconds, and the throughput if its days are known.
void set_total(double seconds, TimingFile& run);

}  // namespace plimsoll::pelayout
