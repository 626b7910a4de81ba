#pragma once

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Runs that belong together.
struct RunGroup {
  std::string setup;               ///< values in which the groups differ: "machine anvil, grid ne30"
  std::vector<std::string> paths;  ///< timing files of the group, in the order of the runs
};

/// Groups runs by the values that determine costs, besides task and thread counts: coupler (and hence the
/// file format, because each measures other times), machine, driver (MCT or CMEPS), grid, compset and
/// instances. A value that is missing in a file differs from no other value.
///
/// Model versions hide under the same values. If these are equal, but costs of a component on the same tasks
/// differ by more than 25 %, or the longest component of the runs takes 25 % longer on more tasks, runs are
/// grouped by the version in CESM's case names or, failing that, by case names without the number of the run,
/// provided that costs within each group differ by less.
///
/// Returns one group, without `setup`, if the runs belong together. O(runs x (groups + components)).
std::vector<RunGroup> group_runs(std::span<const TimingFile> runs);

/// Describes groups in one line: `5 files with machine anvil ("a/timing/x", ...); 1 file with machine box
/// ("b/timing/y")`.
std::string to_string(std::span<const RunGroup> groups);

}  // namespace plimsoll::pelayout
