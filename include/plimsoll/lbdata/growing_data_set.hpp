#pragma once

#include <string>

#include <plimsoll/lbdata/reader.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Reads a data set like read(), even if a program is still writing it: the phases that its partial output
/// files (`*.partial`) contain so far, and complete files of ranks that have finished. The program is not
/// disturbed, and its files stay unchanged.
///
/// `path` is as for find_rank_files(). If it is a directory with partial output files, the files of their
/// data sets are copied (complete ones as links, if possible) to a temporary directory, and repaired there as
/// repair_files() does. Throws like read(), find_rank_files() and repair_files(), and Error (bad_input) if a
/// partial output file is not an LB data file.
ReadResult read_growing(const std::string& path, const ReadOptions& options = {});

}  // namespace plimsoll::lbdata
