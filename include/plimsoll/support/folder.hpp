#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Creates a directory and its missing parents, and makes their names durable. Does nothing if it exists. An
/// empty `path` means the current directory, e.g. as the parent of a bare file name. Throws Error (system)
/// with the path and the system's reason.
void make_folder(const std::string& path);

/// Calls `visit` for each entry of a directory, in no particular order. Throws Error (system) if the
/// directory cannot be read.
void for_each_entry(const std::string& folder,
                    const std::function<void(const std::filesystem::directory_entry&)>& visit);

/// Makes the names in a directory durable, such as the name of a renamed file. Throws Error (system).
void sync_folder(const std::string& path);

}  // namespace plimsoll::support
