#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::support {

/// Which file it is, whatever its name.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// What a file is at some time: another version has other content, or is another file.
struct FileVersion {
  FileIdentity file;
  std::int64_t size_bytes = 0;
  std::int64_t changed_ns = 0;  ///< since 1970, by the clock of the file system

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

/// Of the file that a name leads to, also through a symbolic link; nothing if it cannot be found.
std::optional<FileVersion> version(const std::string& path);

/// Of an open file. Throws Error (system).
FileIdentity identity(const Descriptor& file);
/// Of the file with this name, of a symbolic link that of the link; nothing if it cannot be found.
std::optional<FileIdentity> identity(const std::string& path);

/// What became of an attempt to lock a file.
enum class LockOutcome {
  locked,
  held,         ///< another descriptor, of this or another process, has the lock
  unsupported,  ///< the file system cannot lock
};

/// Opens an existing file to read and lock it, and never waits: for writing too if that is allowed, because
/// NFS locks nothing that is open for reading only. A closed descriptor and errno if it fails.
Descriptor open_to_lock(const std::string& path, int flags = 0);

/// Takes an exclusive lock (flock), without waiting. It ends with the descriptor.
LockOutcome try_lock(const Descriptor& file);

/// Creates a file that is this process's own: open for reading and writing, locked where the file system can
/// lock, and never one that a symbolic link, a device or a FIFO of that name leads to. Returns a closed
/// descriptor if the name is taken and `replace` is false.
///
/// With `replace`, a file of that name is removed first; without it only if it is empty and nobody has locked
/// it, because then nothing is lost. Throws Error: usage if what has the name cannot be replaced, because
/// another program is writing it, or because it is no regular file, belongs to another user or has a second
/// name; system if the file cannot be created.
Descriptor create_file(const std::string& path, bool replace);
/// Whether create_file() would, by what is there now. Throws the Error (usage) that it would throw.
bool can_create_file(const std::string& path, bool replace);

/// Throws Error (usage) if a file of that name cannot be replaced by another: it exists, and that is not
/// allowed, or it is no regular file.
void check_target(const std::string& path, bool overwrite);

/// The Error (usage) that a file exists.
Error already_exists(const std::string& path);
/// The Error (usage) that a file is being written.
Error still_written(const std::string& path);

}  // namespace plimsoll::support
