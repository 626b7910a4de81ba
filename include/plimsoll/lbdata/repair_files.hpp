#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// File that repair_files() tried to repair, with the result.
struct RepairedFile {
  std::string path;
  std::optional<RepairResult> result;  ///< empty if repair() threw `error`
  std::optional<Error> error;          ///< empty if repair() succeeded
};

/// Repairs many files with repair(), `threads` at a time (0: one per processor). `paths` contains files and
/// directories. In a directory, all partial output files (`*.partial`) are repaired, and all truncated or
/// damaged files `BASE.<rank>.json` and `BASE.<rank>.json.br`. If RepairOptions::output is set, complete
/// files are written too, so that the output is a complete data set. Files of an earlier run, which partial
/// output files will replace, are skipped. For an exception, see ignored_streams().
/// RepairOptions::output, if not empty, names the output file. It names an output directory for several
/// files, for an existing directory, or if it ends with '/'; a missing directory is created. A file named
/// twice is repaired once. An error in one file does not stop the repair of other files.
///
/// Throws Error (usage) if two files would get the same name, or names that differ only in `.br`, and Error
/// (system) if a directory cannot be read or created. Both happen before anything is written.
std::vector<RepairedFile> repair_files(const std::vector<std::string>& paths,
                                       const RepairOptions& options = {}, unsigned threads = 0,
                                       support::Progress& progress = support::Progress::none());

/// Returns the partial output files in the directories among `paths` that repair_files() skips: those of a
/// later run that left them for only some ranks of a data set, if the files of all ranks are complete. Empty
/// unless RepairOptions::output is set.
std::vector<std::string> ignored_streams(const std::vector<std::string>& paths, const RepairOptions& options);

/// Checks the result of repair_files() for the directories among `paths`. Throws Error (bad_input) if a data
/// set in them, or a written data set if RepairOptions::output is set, is invalid or incomplete. If nothing
/// was repaired, also throws Error (bad_input) if a directory contains no data set, and Error (usage) if it
/// contains several, as readers do.
void expect_valid(const std::vector<std::string>& paths, const std::vector<RepairedFile>& repaired,
                  const RepairOptions& options = {}, unsigned threads = 0);

/// Completes the data sets in the directories among `paths` that killed programs were publishing (see
/// support::OutputSet). Returns them as DIR/BASE. Throws Error (usage) if a running program is publishing
/// one of them.
std::vector<std::string> complete_publications(const std::vector<std::string>& paths);

}  // namespace plimsoll::lbdata
