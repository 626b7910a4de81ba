#pragma once

#include <optional>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>

#include "lbdata/checking/record_checker.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns a note if the files have references that they do not resolve themselves, and are only a part of a
/// data set, whose other files may resolve them. The data set has more files if a rank is missing, if their
/// directory contains files of further ranks, or if a single file refers to another rank. `references`
/// contains the references of each file.
std::optional<Diagnostic> note_of_missing_files(const std::vector<RankFile>& files,
                                                const std::vector<FileReferences>& references);

}  // namespace plimsoll::lbdata
