#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

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

std::string journal_path(const std::string& folder, const std::string& set);
/// Returns the name of the set whose journal has this file name.
std::optional<std::string> set_of_journal(std::string_view file_name);

/// Removes a journal after all its steps have been completed or undone. Throws Error (system).
void remove_journal(const std::string& folder, const std::string& set);

/// Completes the remaining steps of a journal, if one exists. Only the holder of the FolderLock may call it.
/// Throws Error.
void complete_publication(const std::string& folder, const std::string& set);

/// Renames finished files of an OutputSet to their final names, and back again if one of them cannot be
/// renamed. Until settle(), a replaced file still exists as a hard link `NAME.replaced`.
class Publication {
 public:
  explicit Publication(bool overwrite) : overwrite_(overwrite) {}

  /// Renames `path`.unfinished to `path`. Throws the same Errors as OutputFile::close().
  void rename(const std::string& path);
  /// Undoes all renames in reverse order. Returns the paths that still contain the new file. This happens if
  /// the system refuses to rename it back, or if the file system has no hard links to save the old file.
  std::vector<std::string> undo();
  /// Removes the replaced files permanently. Throws Error (system).
  void settle();

 private:
  /// State of the replaced file: none existed, kept as a hard link, or not kept.
  enum class Before { nothing, linked, lost };
  struct Rename {
    std::string path;
    Before before;
  };
  static Before save(const std::string& path);
  static bool undo(const Rename& rename);

  bool overwrite_;
  std::vector<Rename> renames_;
};

}  // namespace plimsoll::support
