#pragma once

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Runs with the same machine, grid, compset and numbers of instances.
struct RunGroup {
  std::string setup;               ///< values in which the groups differ: "machine anvil, grid ne30"
  std::vector<std::string> paths;  ///< timing files of the group, in the order of the runs
};

/// Groups runs by the values that determine costs, besides task and thread counts. A value that is missing in
/// a file differs from no other value. Returns one group, without `setup`, if the runs belong together.
/// O(runs x groups).
std::vector<RunGroup> group_runs(std::span<const TimingFile> runs);

/// Describes groups in one line: `5 files with machine anvil ("a/timing/x", ...); 1 file with machine box
/// ("b/timing/y")`.
std::string to_string(std::span<const RunGroup> groups);

}  // namespace plimsoll::pelayout
