#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/support/new_file.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Returns the kind of content that was written to a directory at `since` or later: files, or else logs that
/// were not merged into files.
ProfileContent profile_content(const std::string& folder, std::filesystem::file_time_type since =
                                                              std::filesystem::file_time_type::min());

/// Returns the files of a profile of collectives in a directory, without logs, MPI calls and unfinished
/// files.
std::vector<support::FileIdentity> files_of_collectives(const std::string& folder);

/// Returns whether a profile of collectives was published completely since the directory had the files
/// `before`. Times of files do not tell: an earlier profile may be as old as the clock's resolution.
bool was_published(const std::string& folder, const std::vector<support::FileIdentity>& before);

}  // namespace plimsoll::collectives
