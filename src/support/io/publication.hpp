#pragma once

#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

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
