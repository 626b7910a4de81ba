#pragma once

#include <string>

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

/// Locks a data set. Throws Error (usage) if another program has locked it.
support::FolderLock lock(const RepairTarget& target);

/// Returns whether the file is a partial output file that is repaired in place.
bool replaces_stream(const std::string& path, const RepairOptions& options);

/// Throws the same Error (usage) as repair() if the output file exists and may not be replaced.
void expect_absent(const std::string& path, const RepairOptions& options);

/// Repairs a file for which replaces_stream() is false. The caller must hold the lock of its target.
RepairResult repair_file(const std::string& path, const RepairOptions& options);

/// Repairs a partial output file in place, except for two steps that `set` performs: naming the new file, and
/// removing the partial file and its `.pending`. Several threads may call it.
RepairResult repair_stream(const std::string& path, const RepairOptions& options, support::OutputSet& set);

}  // namespace plimsoll::lbdata
