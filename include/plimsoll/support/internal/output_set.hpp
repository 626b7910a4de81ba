#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Exclusive right of one process to write a set of files in a directory; in an MPI program, rank 0 holds it.
/// It ends when this object is destroyed, or when the process ends for any reason.
///
/// The lock is a file, `.plimsoll.NAME.lock`, that identifies its holder, with a lock of the system (flock).
/// On file systems without locks, or whose locks do not reach other hosts, the file itself is the lock. Its
/// holder touches it every ten seconds. Other hosts consider it held until it has not been touched for a
/// minute, by the clock of the file system. If the holder is on the same host, its process is looked up
/// instead.
///
/// A process that gets the lock also completes the publication that a killed holder had begun (see
/// OutputSet).
class FolderLock {
 public:
  /// Scope of the lock, and how to acquire it.
  struct Options {
    /// Name of the locked set of files in the directory; empty: the files that no other name covers.
    std::string name = {};
    double patience_s = 0;  ///< maximum wait for another holder
    /// Whether a thread may touch the file. If not, only touch() touches it, and other hosts consider the
    /// lock held for a day.
    bool may_have_threads = true;
  };

  /// Acquires the lock. Throws Error: usage if another process holds it, naming that process; system if the
  /// directory cannot be written to.
  explicit FolderLock(const std::string& folder, const Options& options);
  explicit FolderLock(const std::string& folder) : FolderLock(folder, Options{}) {}
  FolderLock(FolderLock&&) noexcept;
  FolderLock& operator=(FolderLock&&) noexcept;
  ~FolderLock();

  const std::string& folder() const;
  const std::string& name() const;
  /// Returns whether the file system supports locks. If it does not, another process may hold the lock at the
  /// same time, although this is rare. In that case, do not remove any files unless the user requests it.
  bool is_certain() const;
  /// Throws Error (system) if the lock's file has been removed, either by hand or because another host
  /// considered this process dead.
  void check() const;
  /// Shows other hosts that the holder is alive.
  void touch() const;

 private:
  class Held;
  std::unique_ptr<Held> held_;
};

/// Returns the names of the named locks in a directory, sorted. Their holders may have ended. Throws Error
/// (system) if the directory cannot be read.
std::vector<std::string> locks_in(const std::string& folder);

/// Files of one directory that are published together or not at all. Each grows under `NAME.unfinished`, and
/// publish() gives all of them their names. A set that is destroyed before publish() removes them and leaves
/// existing files unchanged. Unfinished files of a killed program are replaced by the next one. From its
/// construction to the end of publish() it holds a FolderLock, so that no other program writes the same
/// files.
///
///     OutputSet files("data", true);
///     OutputFile file = files.create("data.0.json");
///     file.write("{}");
///     file.finish();
///     files.publish();
class OutputSet {
 public:
  /// Creates the directory if it is missing. `name` is the name of the FolderLock. Throws Error: usage if
  /// another process holds that lock; system if the directory cannot be created or written to.
  OutputSet(const std::string& folder, bool overwrite, const std::string& name = {});
  /// Creates a set with a lock that the caller has acquired.
  OutputSet(FolderLock lock, bool overwrite);
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;
  /// Removes the files unless publish() was called. All of them must be finished or destroyed by then.
  ~OutputSet();

  /// Throws the Error (usage) that create() would throw for this name now, for callers that check all names
  /// before they write the first file.
  void check(const std::string& name, OutputOptions options = {}) const;

  /// Begins a file of the set, which the caller writes and finishes (OutputFile::finish()). The set, not
  /// `options`, determines whether an existing file is overwritten. May be called by several threads. Throws
  /// the same Errors as OutputFile.
  OutputFile create(const std::string& name, OutputOptions options = {});

  /// Adds a finished file that was created separately, in this directory and with
  /// OutputOptions::keep_unfinished false.
  void add(const std::string& path, const FileIdentity& file);
  /// Adds a file in this directory that the set replaces. publish() removes it, unless its name then refers
  /// to another file, or another program writes it. May be called by several threads.
  void supersede(const std::string& path, const FileIdentity& file);
  const FolderLock& lock() const { return *lock_; }

  /// Writes the finished files to disk and renames them in the order of their names (shorter names first, so
  /// that "x.2" precedes "x.10"). Then it removes the superseded files.
  ///
  /// If a file cannot be renamed, the files that were already renamed get their `.unfinished` names back, and
  /// the replaced files get their names back. The directory then has its previous content, and every finished
  /// file is kept as `NAME.unfinished`. The Error names them: usage if a name was taken meanwhile and
  /// overwriting is not allowed, else system. It also names files that cannot be renamed back, either because
  /// the system refuses or because they replaced a file and the file system has no hard links.
  ///
  /// POSIX cannot rename several files at once. If the program or the machine dies during publish(), a
  /// journal in the directory lists the remaining steps. is_being_published() is true until the next holder
  /// of the FolderLock has completed them.
  void publish();

  /// Returns the paths of the files begun so far, in order of creation.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  void sync_files() const;

  std::optional<FolderLock> lock_;  ///< held until the files have their names
  std::string folder_;
  bool overwrite_;
  std::mutex mutex_;  ///< guards the following members
  std::vector<std::string> paths_;
  std::vector<FileIdentity> files_;  ///< identities of paths_
  std::map<std::string, FileIdentity> superseded_;
  bool kept_ = false;  ///< whether publish() was called; if so, the files stay, even if publish() failed
};

/// Publishes files as OutputSet::publish() does. Other processes have written them to the lock's directory
/// and made them durable (OutputFile::end()). Also removes the `superseded` files there. Names are without
/// `.partial`. All files have their names when this returns. If the program is killed earlier, the next
/// holder of the lock completes the publication. Throws Error, before anything is changed: usage if a name is
/// invalid, or is taken and `overwrite` is false; system if a file is missing.
void publish_files(const FolderLock& lock, const std::vector<std::string>& names, bool overwrite,
                   const std::vector<std::string>& superseded_names);

/// Returns whether the files of a set are being renamed, or a program was killed while renaming them. The
/// directory may then contain files of two sets. The set is identified by the name of its FolderLock.
bool is_being_published(const std::string& folder, const std::string& name);
/// Returns the names of such sets in a directory, sorted. Throws Error (system) if the directory cannot be
/// read.
std::vector<std::string> sets_being_published(const std::string& folder);

}  // namespace plimsoll::support
