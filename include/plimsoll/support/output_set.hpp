#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/folder_lock.hpp>
#include <plimsoll/support/new_file.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::inline v0_1::support {

/// Files of one folder that are published together or not at all: each grows under `NAME.unfinished`, and
/// publish() gives all of them their names. A set that is destroyed before publish() removes them; what was
/// there before is untouched. What a killed program left is replaced by the next one. From its construction
/// to the end of publish() it holds a FolderLock, so that no other program writes the same files.
///
///     OutputSet files("data", true);
///     OutputFile file = files.create("data.0.json");
///     file.write("{}");
///     file.finish();
///     files.publish();
class OutputSet {
 public:
  /// Creates the folder if it is missing. `name` is that of the FolderLock. Throws Error: usage if another
  /// process holds that, system.
  OutputSet(const std::string& folder, bool overwrite, const std::string& name = {});
  /// For a lock that the caller has.
  OutputSet(FolderLock lock, bool overwrite);
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

  /// Adds a finished file that was made apart, in this folder and with OutputOptions::keep_unfinished false.
  void add(const std::string& path, const FileIdentity& file);
  const FolderLock& lock() const { return *lock_; }

  /// Brings the finished files to the disk, renames them in the order of their names (shorter names first, so
  /// that "x.2" precedes "x.10"), and then removes `superseded`: paths in the folder that the set replaces.
  ///
  /// If a file cannot be renamed, those renamed before get their `.unfinished` names back, and the files that
  /// they replaced get theirs: the folder is as it was, and every finished file is kept as `NAME.unfinished`.
  /// The Error names them: usage if a name was taken meanwhile and overwriting is not allowed, else system.
  /// It also names files that cannot be renamed back, either because the system refuses or because they
  /// replaced a file and the file system has no hard links.
  ///
  /// POSIX has no way to rename several files at once. Should the program or the machine die during
  /// publish(), a journal in the folder says what remains: is_being_published() is true until the next holder
  /// of the FolderLock has completed it.
  void publish(const std::vector<std::string>& superseded = {});

  /// Paths of the files begun so far, in the order of their creation.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::string path_of(const std::string& name) const;
  void sync_files() const;
  void save_journal(const std::vector<std::string>& superseded) const;

  std::optional<FolderLock> lock_;  ///< until the files have their names
  std::string folder_;
  bool overwrite_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<std::string> paths_;
  std::vector<FileIdentity> files_;  ///< of paths_
  bool kept_ = false;                ///< publish() was called: the files stay whatever becomes of it
};

/// Publishes files as OutputSet::publish() does that other processes have written to the lock's folder and
/// made durable (OutputFile::end()), and removes the `superseded` ones there. Names are without `.partial`.
/// All are there when this returns, or, if the program is killed before, when the next holder of the lock has
/// completed it. Throws Error, before anything is changed: usage if a name is taken and `overwrite` is false;
/// system if a file is missing.
void publish_files(const FolderLock& lock, const std::vector<std::string>& names, bool overwrite,
                   const std::vector<std::string>& superseded_names);

/// Whether the files of a set, by the name of its FolderLock, are getting their names, or a program was
/// killed while they did: what is in the folder may then be of two sets.
bool is_being_published(const std::string& folder, const std::string& name);
/// The names of such sets in a folder, sorted. Throws Error (system) if it cannot be read.
std::vector<std::string> sets_being_published(const std::string& folder);

}  // namespace plimsoll::support
