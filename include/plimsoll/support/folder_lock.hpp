#pragma once

#include <memory>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

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

/// Returns the names of the locks in a directory, sorted. Their holders may have ended. Throws Error (system)
/// if the directory cannot be read.
std::vector<std::string> locks_in(const std::string& folder);

}  // namespace plimsoll::support
