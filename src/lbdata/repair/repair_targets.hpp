#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

#include "lbdata/repair/locked_repair.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the files of a directory that repair_files() repairs: partial output files, and data files that
/// are truncated or damaged. If RepairOptions::output is set, also returns complete data files, and
/// `.pending` files without any other file of their rank.
std::vector<std::string> files_to_repair(const std::string& folder, const RepairOptions& options,
                                         unsigned threads, support::Progress& progress);

/// Returns the partial output files of a directory that a copy does not contain, sorted: a later run left
/// them for only some ranks of a data set whose files are all complete, and one copy cannot contain both
/// runs.
std::vector<std::string> leftover_streams(const std::string& folder, const support::SizeLimits& limits);

/// State of a file from the point of view of repair().
enum class FileState {
  whole,       ///< repair() leaves it unchanged
  repairable,  ///< truncated or damaged; repair() keeps its complete phases
  unusable,    ///< repair() throws: the file was never an LB data file, or no phase obeys the schema
};

/// Reads a file and determines its state.
FileState file_state(const std::string& path, const support::SizeLimits& limits);

/// Data sets to which the repair of many files writes. All partial output files of a set get their final
/// names together, and never mix with files of another run. If some ranks have both a partial output file and
/// a file, the interrupted run was replacing the files. In this case either all files are replaced or none.
class RepairTargets {
 public:
  /// Adds a file. Must be called for all files before lock().
  void add(const std::string& path, const RepairOptions& options);
  /// Locks the data sets. A failed lock is reported as an error of the data set's files.
  void lock();
  /// Repairs a file. Several threads may call it. Throws Error.
  RepairResult repair(const std::string& path, const RepairOptions& options);
  /// Renames the files made from partial output files to their final names. If a set cannot be published, the
  /// results of its files contain the error.
  void publish(std::vector<RepairedFile>& repaired);

 private:
  struct Target {
    bool overwrite = false;
    std::set<std::int64_t> streams;           ///< ranks of partial output files that are repaired in place
    std::vector<RankFile> files;              ///< existing files
    std::optional<support::FolderLock> lock;  ///< used if no partial output file is repaired in place
    std::optional<support::OutputSet> set;    ///< used otherwise
    std::optional<Error> error;
    std::vector<RepairedFile*> repaired;  ///< partial output files
  };
  static void expect_one_run(const RepairTarget& name, const Target& target);
  static bool replaces(const Target& target, const RankFile& file);
  static bool replaces_files(const Target& target);
  static void supersede_files(Target& target);
  static void publish(Target& target);

  std::map<RepairTarget, Target> targets_;
};

}  // namespace plimsoll::lbdata
