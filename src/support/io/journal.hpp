#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/new_file.hpp>

namespace plimsoll::inline v0_1::support {

/// What publishing a set of files consists of, in a file `.plimsoll.NAME.publishing` of its folder: POSIX has
/// no way to rename several files at once, but whoever finds a journal can complete what it says. Once it is
/// on the disk, the set counts as published.
struct Journal {
  struct Rename {
    std::string name;   ///< that `name`.partial or `name`.unfinished gets
    FileIdentity file;  ///< which it is: a later file of that name is none of this set
  };
  bool overwrite = false;  ///< whether files may be replaced
  std::vector<Rename> renames;
  std::vector<std::string> removals;  ///< names of files that the set replaces

  /// Makes it durable. Throws Error (system).
  void save(const std::string& folder, const std::string& set) const;
};

std::string journal_path(const std::string& folder, const std::string& set);
/// The set whose journal a file is, by its name.
std::optional<std::string> set_of_journal(std::string_view file_name);

/// Everything is done, or undone. Throws Error (system).
void remove_journal(const std::string& folder, const std::string& set);

/// Does what remains of a journal, if there is one; only the holder of the FolderLock may. Throws Error.
void complete_publication(const std::string& folder, const std::string& set);

}  // namespace plimsoll::support
