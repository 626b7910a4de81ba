#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns whether a name has the old form timing.<case>... or the current one
/// <model>_timing[_<instance>].<case>.<log id>.
bool names_timing_of(std::string_view name, const std::string& case_start);

/// Returns whether a name is that of GPTL statistics (model_timing_stats, e3sm_timing_stats.<log id>) or of
/// an archive that may contain them (timing.<log id>.tar.gz).
bool names_statistics(std::string_view name);

/// Returns the last time of the form 260101-120000 in a path, which identifies the run; empty if it has none.
std::string_view run_time_in(std::string_view path);

/// Returns the number of the driver in the path of statistics: 2 in cesm_timing_0002_stats.<log id>; 0 if the
/// run has one driver.
std::int64_t driver_in(std::string_view path);

}  // namespace plimsoll::pelayout
