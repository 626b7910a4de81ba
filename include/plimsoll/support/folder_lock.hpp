#pragma once

#include <memory>
#include <string>

namespace plimsoll::inline v0_1::support {

/// The right to write a set of files in a folder, which one process has at a time; of an MPI program the one
/// of rank 0. It ends when this is destroyed, and with the process, however that ends.
///
/// It is a file, `.plimsoll.NAME.lock`, that says which program holds it, with a lock of the system (flock).
/// File systems without locks do with the file, and so do those whose locks do not reach other hosts: its
/// holder touches it every ten seconds, and on another host it counts as held until it was not touched for a
/// minute, by the clock of the file system. A holder on the same host is looked for among the processes.
///
/// Whoever gets the lock also completes what a killed holder had begun to publish (see OutputSet).
class FolderLock {
 public:
  /// What is locked, and how.
  struct Options {
    /// Which files of the folder; empty: those that no other name stands for.
    std::string name = {};
    double patience_s = 0;  ///< how long to wait for another holder
    /// Whether a thread may touch the file. Else only touch() does, and other hosts believe in the lock for a
    /// day.
    bool may_have_threads = true;
  };

  /// Throws Error: usage if another process holds it, which the error names; system if the folder cannot be
  /// written to.
  explicit FolderLock(const std::string& folder, const Options& options);
  explicit FolderLock(const std::string& folder) : FolderLock(folder, Options{}) {}
  FolderLock(FolderLock&&) noexcept;
  FolderLock& operator=(FolderLock&&) noexcept;
  ~FolderLock();

  const std::string& folder() const;
  const std::string& name() const;
  /// Whether the file system can lock. If not, another process may hold the lock too in rare cases, so do not
  /// destroy anything unless the user insists.
  bool is_certain() const;
  /// Throws Error (system) if the lock's file has been removed, by hand or because another host took this
  /// process for dead.
  void check() const;
  /// Shows other hosts that the holder lives.
  void touch() const;

 private:
  class Held;
  std::unique_ptr<Held> held_;
};

}  // namespace plimsoll::support
