#pragma once

#include <string>
#include <vector>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/progress.hpp>

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

}  // namespace plimsoll::lbdata
