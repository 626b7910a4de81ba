#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <plimsoll/support/output_file.hpp>

namespace plimsoll::support {

/// Files of one folder that are published together or not at all: each grows under its `.partial` name, and
/// publish() gives all of them their names. A set that is destroyed before publish() removes its `.partial`
/// files; what was there before is untouched.
///
///     OutputSet files("data", true);
///     OutputFile file = files.create("data.0.json");
///     file.write("{}");
///     file.finish();
///     files.publish();
class OutputSet {
 public:
  /// Creates the folder if it is missing. Throws Error (system).
  OutputSet(std::string folder, bool overwrite);
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;
  /// Removes the files unless publish() was called. All of them are finished or destroyed by then.
  ~OutputSet();

  /// Throws the Error (usage) that create() would throw for this name now: for a caller that checks all names
  /// before it writes the first file.
  void check(const std::string& name, OutputOptions options = {}) const;

  /// Begins a file of the set, which the caller writes and finishes (OutputFile::finish()). The set decides
  /// whether it overwrites, not `options`. May be called by several threads. Throws Error as OutputFile.
  OutputFile create(const std::string& name, OutputOptions options = {});

  /// Brings the finished files to the disk, renames them in the order of their names (shorter names first, so
  /// that "x.2" precedes "x.10"), and then removes `superseded`: paths in the folder that the set replaces.
  ///
  /// If a file cannot be renamed, those renamed before get their `.partial` names back, and the files that
  /// they replaced get theirs: the folder is as it was, and every finished file is kept as `NAME.partial`.
  /// The Error names them: usage if a name was taken meanwhile and overwriting is not allowed, else system.
  /// It also names files that cannot be renamed back, either because the system refuses or because they
  /// replaced a file and the file system has no hard links. Should the program or the machine die during
  /// publish(), part of the files may have their names; replaced ones are then found as `NAME.replaced`.
  /// Nothing is lost, but POSIX has no way to rename several files at once.
  void publish(const std::vector<std::string>& superseded = {});

  /// Paths of the files begun so far, in the order of their creation.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::string path_of(const std::string& name) const;

  std::string folder_;
  bool overwrite_;
  std::mutex mutex_;  ///< guards paths_
  std::vector<std::string> paths_;
  bool kept_ = false;  ///< publish() was called: the files stay whatever becomes of it
};

}  // namespace plimsoll::support
