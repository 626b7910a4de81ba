#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Maximum number of files in an archive of timing files; real archives contain at most one per rank.
inline constexpr std::size_t max_members = 10'000;

/// Returns whether a file with this start, of at least 512 bytes, is a tar archive.
bool is_tar(std::string_view start);

/// Calls `use` with the name and content of each file in a tar archive in memory. Directories and links are
/// skipped, and nothing is written. Memory is bounded by the size of the archive. Throws Error (bad_input),
/// with `path`, for a damaged archive, for more than max_members members, and for sparse files, which could
/// be much larger than the archive. Throws Error (usage) if Plimsoll was built without libarchive.
void for_each_tar_member(std::string_view archive, const std::string& path,
                         const std::function<void(const std::string& name, std::string_view content)>& use);

}  // namespace plimsoll::pelayout
