#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the path of a file in a directory.
std::string path_in(const std::string& folder, const std::string& name);

/// Returns the path of a set's lock or journal: `.plimsoll.NAME` with a suffix.
std::string set_file(const std::string& folder, const std::string& set, std::string_view suffix);
/// Returns the names of the sets with such files in a directory, sorted.
std::vector<std::string> sets_with(const std::string& folder, std::string_view suffix);

/// Completes the remaining steps of a set's journal, if one exists. Only the holder of the FolderLock may
/// call it. Throws Error.
void complete_publication(const std::string& folder, const std::string& set);

}  // namespace plimsoll::support
