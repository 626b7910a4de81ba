#pragma once

#include <string>
#include <vector>

namespace plimsoll::inline v0_1::support {

/// Renames finished files of an OutputSet to their names, and back again if one of them cannot be renamed.
/// Until settle(), a file that was replaced still exists as a hard link `NAME.replaced`.
class Publication {
 public:
  explicit Publication(bool overwrite) : overwrite_(overwrite) {}

  /// Renames `path`.unfinished to `path`. Throws Error as OutputFile::close().
  void rename(const std::string& path);
  /// Undoes all renames, the last first. Returns the paths that keep the new file because the system refuses
  /// to rename it back, or because the file system has no hard links that could have saved the old one.
  std::vector<std::string> undo();
  /// Removes the replaced files for good. Throws Error (system).
  void settle();

 private:
  /// What had the name before.
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
