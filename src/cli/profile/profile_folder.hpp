#pragma once

#include <filesystem>
#include <string>

namespace plimsoll::cli {

/// What a folder has of a profile.
enum class ProfileContent { nothing, logs, files };

/// Of what was written at `since` or later: files, or else logs that were not made into files.
ProfileContent profile_content(const std::string& folder, std::filesystem::file_time_type since =
                                                              std::filesystem::file_time_type::min());

}  // namespace plimsoll::cli
