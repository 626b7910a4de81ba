#pragma once

#include <vector>

#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the command that repairs the partial output files of a directory in place, quoted for a shell.
std::string repair_in_place_command(const std::string& folder);

/// Returns the command that writes a repaired copy of all files of a directory to a new directory.
std::string copy_folder_command(const std::string& folder);

/// Returns the command that writes repaired copies of files of one data set to a new directory. If the data
/// set has more files, the command copies them all, so that the copy is complete.
std::string copy_files_command(const std::vector<std::string>& files);

/// Returns the command that keeps the complete phases of all truncated or damaged files among `files`; empty
/// if repair() cannot keep any phase.
std::string repair_command(const std::vector<std::string>& files, const support::SizeLimits& limits);

}  // namespace plimsoll::lbdata
