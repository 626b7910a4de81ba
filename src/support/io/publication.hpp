#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

std::string path_in(const std::string& folder, const std::string& name);

/// Returns the path of a set's lock or journal: `.plimsoll.NAME` with a suffix.
std::string set_file(const std::string& folder, const std::string& set, std::string_view suffix);
/// Returns the names of the sets with such files in a directory, sorted.
std::vector<std::string> sets_with(const std::string& folder, std::string_view suffix);

/// Steps of publishing a set of files, stored in a file `.plimsoll.NAME.publishing` in the directory of the
/// set. POSIX has no way to rename several files at once, but any process that finds a journal can complete
/// its steps. Once the journal is on the disk, the set is considered published.
struct Journal {
  struct Step {
    std::string name;
    FileIdentity file;  ///< identity of the file: a later file of that name is not part of this set
  };
  bool overwrite = false;      ///< whether files may be replaced
  std::vector<Step> renames;   ///< files renamed to `name` from `name`.partial or `name`.unfinished
  std::vector<Step> removals;  ///< files that the set replaces

  /// Writes the journal and makes it durable. Throws Error (system).
  void save(const std::string& folder, const std::string& set) const;
};

/// Removes a journal after all its steps have been completed or undone. Throws Error (system).
void remove_journal(const std::string& folder, const std::string& set);

/// Completes the remaining steps of a journal, if one exists. Only the holder of the FolderLock may call it.
/// Throws Error.
void complete_publication(const std::string& folder, const std::string& set);

}  // namespace plimsoll::support
