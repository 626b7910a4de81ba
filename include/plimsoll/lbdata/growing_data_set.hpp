#pragma once

#include <string>

#include <plimsoll/lbdata/reader.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Reads a data set like read(), even if a program is still writing it: the phases that its partial output
/// files (`*.partial`) contain so far. The program is not disturbed, and its files stay unchanged.
///
/// `path` is as for find_rank_files(). If it is a directory with partial output files, these are copied to
/// the empty directory `scratch`, which the caller removes, and the copies are repaired. Throws like read(),
/// find_rank_files() and repair_files(), and Error (bad_input) if a partial output file is not an LB data
/// file.
ReadResult read_growing(const std::string& path, const std::string& scratch, const ReadOptions& options = {});

}  // namespace plimsoll::lbdata
