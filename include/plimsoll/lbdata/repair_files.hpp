#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// A file that repair_files() was to repair, and what came of it.
struct RepairedFile {
  std::string path;
  std::optional<RepairResult> result;  ///< empty if repair() threw `error`
  std::optional<Error> error;          ///< empty if repair() succeeded
};

/// Repairs many files as repair() does, `threads` at a time (0: one for each processor). `paths` are files,
/// and folders, of which the streams (`*.partial`) are repaired. RepairOptions::output, if not empty, names
/// the file to write; for several files, where it is a folder, or ends with '/', it names a folder, which is
/// made if it is missing. A file named twice is repaired once. One file that cannot be repaired does not keep
/// others from it.
///
/// Throws Error, before anything is written: usage if two files would become one; system if a folder cannot
/// be read or made.
std::vector<RepairedFile> repair_files(const std::vector<std::string>& paths,
                                       const RepairOptions& options = {}, unsigned threads = 0,
                                       support::Progress& progress = support::Progress::none());

/// Completes data sets that killed programs were publishing in those of `paths` that are folders (see
/// support::OutputSet). Returns them as FOLDER/BASE. Throws Error (usage) if a program is publishing one now.
std::vector<std::string> complete_publications(const std::vector<std::string>& paths);

}  // namespace plimsoll::lbdata
