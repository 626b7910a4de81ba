#pragma once

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/internal/output_set.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Data set to which the repair of a file writes.
struct RepairTarget {
  std::string folder;
  std::string set;

  friend auto operator<=>(const RepairTarget&, const RepairTarget&) = default;
};

RepairTarget repair_target(const std::string& path, const RepairOptions& options);

/// Returns whether the file is a partial output file that is repaired in place.
bool replaces_stream(const std::string& path, const RepairOptions& options);

/// Throws the same Error (usage) as repair() if the output file exists and may not be replaced.
void expect_absent(const std::string& path, const RepairOptions& options);

/// Repairs a file. `set` must be an unpublished set of its target, and holds the lock of the target. If the
/// file is a partial output file that is repaired in place, `set` performs two steps: naming the new file,
/// and removing the partial file and its `.pending`. Several threads may call it.
RepairResult repair(const std::string& path, const RepairOptions& options, support::OutputSet& set);

}  // namespace plimsoll::lbdata
