#pragma once

#include <filesystem>
#include <string>

#include <plimsoll/collectives/profile_launch.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Returns the kind of content that was written to a directory at `since` or later: files, or else logs that
/// were not merged into files.
ProfileContent profile_content(const std::string& folder, std::filesystem::file_time_type since =
                                                              std::filesystem::file_time_type::min());

}  // namespace plimsoll::collectives
