#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <plimsoll/lbdata/repair_files.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder_lock.hpp>
#include <plimsoll/support/output_set.hpp>

#include "lbdata/repair/locked_repair.hpp"

namespace plimsoll::inline v0_1::lbdata {

/// The data sets that repairing many files writes to. Streams of a set become files together, and never files
/// of two runs: where some ranks have a stream and a file, the run that left the streams was to replace the
/// files, so that either all files are replaced or none.
class RepairTargets {
 public:
  /// For all files, before lock().
  void add(const std::string& path, const RepairOptions& options);
  /// Locks the data sets. One that cannot be locked is an error of its files.
  void lock();
  /// Repairs a file. May be called by several threads. Throws Error.
  RepairResult repair(const std::string& path, const RepairOptions& options);
  /// Gives the files made of streams their names. Files of which the set cannot be published get its error.
  void publish(std::vector<RepairedFile>& repaired);

 private:
  struct Target {
    bool overwrite = false;
    std::set<std::int64_t> streams;           ///< ranks of streams that are repaired in place
    std::set<std::int64_t> files;             ///< ranks of the files that are there
    std::optional<support::FolderLock> lock;  ///< if no stream is repaired in place
    std::optional<support::OutputSet> set;    ///< else
    std::optional<Error> error;
    std::vector<RepairedFile*> repaired;  ///< streams
  };
  static void expect_one_run(const RepairTarget& name, const Target& target);
  static bool replaces_files(const Target& target);
  static void publish(Target& target);

  std::map<RepairTarget, Target> targets_;
};

}  // namespace plimsoll::lbdata
