#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Identity of a file, regardless of its name.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// State of a file at some time. Two versions differ if the content has changed, or if a different file has
/// replaced it under the same name.
struct FileVersion {
  FileIdentity file;
  std::int64_t size_bytes = 0;
  std::int64_t changed_ns = 0;  ///< change time since 1970, by the clock of the file system

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

/// Returns the version of the file with this name; follows symbolic links. Returns nothing if it cannot be
/// found.
std::optional<FileVersion> version(const std::string& path);

/// Returns the identity of an open file. Throws Error (system).
FileIdentity identity(const Descriptor& file);
/// Returns the identity of the file with this name; for a symbolic link, of the link itself. Returns nothing
/// if it cannot be found.
std::optional<FileIdentity> identity(const std::string& path);

/// Outcome of an attempt to lock a file.
enum class LockOutcome {
  locked,
  held,         ///< another descriptor, of this or another process, has the lock
  unsupported,  ///< the file system does not support locks
};

/// Removes a file, unless its name now refers to another file, or another program has locked it. Throws Error
/// (system).
void remove_file(const std::string& path, const FileIdentity& file);

/// Opens an existing file to read and lock it, without blocking. If permitted, it opens the file for writing
/// too, because NFS cannot lock files that are open for reading only. On failure, returns a closed descriptor
/// and sets errno.
Descriptor open_to_lock(const std::string& path, int flags = 0);

/// Takes an exclusive lock (flock), without waiting. It is released with the descriptor.
LockOutcome try_lock(const Descriptor& file);

/// Creates a file that belongs to this process alone: open for reading and writing, and locked if the file
/// system supports it. It never follows a symbolic link and never opens a device or a FIFO of that name.
/// Returns a closed descriptor if the name is taken and `replace` is false.
///
/// With `replace`, an existing file of that name is removed first. Otherwise it is removed only if it is
/// empty and not locked, because then nothing is lost. Throws Error (usage) if the existing file cannot be
/// replaced: another program is writing it, or it is not a regular file, belongs to another user or has a
/// second name. Throws Error (system) if the file cannot be created.
Descriptor create_file(const std::string& path, bool replace);
/// Returns whether create_file() would currently create the file. Throws the Error (usage) that it would
/// throw.
bool can_create_file(const std::string& path, bool replace);

/// Throws Error (usage) if a file of that name cannot be replaced: it exists and `overwrite` is false, or it
/// is not a regular file.
void check_target(const std::string& path, bool overwrite);

/// Creates the Error (usage) for a file that exists.
Error already_exists(const std::string& path);
/// Creates the Error (usage) for a file that is being written.
Error still_written(const std::string& path);

}  // namespace plimsoll::support
