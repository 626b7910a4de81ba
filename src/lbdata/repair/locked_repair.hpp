#pragma once

#include <string>
#include <vector>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/folder_lock.hpp>
#include <plimsoll/support/output_set.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// The data set that repairing a file writes to.
struct RepairTarget {
  std::string folder;
  std::string set;

  friend auto operator<=>(const RepairTarget&, const RepairTarget&) = default;
};

RepairTarget repair_target(const std::string& path, const RepairOptions& options);

/// Locks a data set. Throws Error (usage) if another program has it.
support::FolderLock lock(const RepairTarget& target);

/// Whether the file is a stream that is repaired in place.
bool replaces_stream(const std::string& path, const RepairOptions& options);

/// Throws the Error (usage) that repair() throws if the file to be written exists and may not be replaced.
void expect_absent(const std::string& path, const RepairOptions& options);

/// repair() of anything else, for the holder of the lock of its target.
RepairResult repair_file(const std::string& path, const RepairOptions& options);

/// repair() of a stream in place, but for what `set` does: to give the new file its name, and to remove the
/// remains_of() the stream. May be called by several threads.
RepairResult repair_stream(const std::string& path, const RepairOptions& options, support::OutputSet& set);

/// A stream that is used up and its `.pending`.
std::vector<std::string> remains_of(const RepairResult& result);

}  // namespace plimsoll::lbdata
