#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// A file descriptor that is closed at the end of its lifetime; -1 means none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    const int number = other.release();
    close();
    number_ = number;
    return *this;
  }
  ~Descriptor() { close(); }

  /// Closes the descriptor if it is open. Returns whether closing succeeded: for files, this is the last
  /// chance to detect a full disk.
  bool close();
  /// Releases ownership: the caller closes it.
  int release() { return std::exchange(number_, -1); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

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

/// Opens a file as open(2) does, and again if a signal interrupts that. On failure, returns a closed
/// descriptor and sets errno.
Descriptor open_file(const std::string& path, int flags, mode_t mode = 0);

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

/// Opens a file for reading. Throws Error: system if the file cannot be opened; bad_input for a directory, a
/// pipe, a device or a socket. Opening these never blocks.
Descriptor open_input_file(const std::string& path);

/// Reads bytes from a position in a file; `path` is used in the error. Returns their number, which is below
/// `size` only at the end of the file. Throws Error (system).
std::size_t read_at(const Descriptor& file, char* buffer, std::size_t size, std::uint64_t position,
                    const std::string& path);

/// Writes all bytes at a position in a file; `path` is used in the error. Throws Error (system) on failure,
/// such as a full disk. Exceeding the file size limit (`ulimit -f`) is also such an error, not a signal
/// (SIGXFSZ) that ends the program.
void write_at(const Descriptor& file, std::string_view bytes, std::uint64_t position,
              const std::string& path);

/// Returns the whole content of a small plain file, such as one that users write by hand. Throws Error:
/// system if it cannot be opened or read; bad_input if it is a directory, a pipe or a device, or has more
/// than `max_bytes`.
std::string read_text_file(const std::string& path, std::uint64_t max_bytes = std::uint64_t{16} << 20);

/// Writes a file that is complete and on the disk when it gets its name. Throws Error as OutputFile does:
/// usage if it exists and may not be overwritten, system if writing fails.
void write_text_file(const std::string& path, std::string_view text, bool overwrite);

/// Creates a directory and its missing parents, and makes their names durable. Does nothing if it exists. An
/// empty `path` means the current directory, e.g. as the parent of a bare file name. Throws Error (system)
/// with the path and the system's reason.
void make_folder(const std::string& path);

/// Returns the directory of a file, as a name that can be opened.
std::string folder_of(const std::string& path);

/// Entry of a directory. Its type usually comes from the directory, without examining the file.
class FolderEntry {
 public:
  FolderEntry(std::filesystem::path path, std::filesystem::file_type type)
      : path_(std::move(path)), type_(type) {}

  const std::filesystem::path& path() const { return path_; }
  /// Follow symbolic links; return false if the file cannot be examined.
  bool is_directory() const { return type() == std::filesystem::file_type::directory; }
  bool is_regular_file() const { return type() == std::filesystem::file_type::regular; }

 private:
  std::filesystem::file_type type() const;

  std::filesystem::path path_;
  std::filesystem::file_type type_;
};

/// Calls `visit` for each entry of a directory except "." and "..", in no particular order. Throws Error
/// (system) if the directory cannot be read. Unlike std::filesystem::directory_iterator, which ends the
/// program, it throws std::bad_alloc if memory is exhausted.
void for_each_entry(const std::string& folder, const std::function<void(const FolderEntry&)>& visit);
/// Does the same, but visits nothing, or stops, if the directory cannot be read, e.g. because it is missing.
void for_each_readable_entry(const std::string& folder, const std::function<void(const FolderEntry&)>& visit);

/// Removes a file, or a directory with its content; of a symbolic link, only the link. Does nothing if it is
/// missing. Returns errno if that fails, else 0. Unlike std::filesystem::remove_all(), which ends the
/// program, it returns ENOMEM if memory is exhausted.
int remove_tree(const std::string& path);

/// Makes the names in a directory durable, such as the name of a renamed file. Throws Error (system).
void sync_folder(const std::string& path);

/// A directory that exists only during the lifetime of this object, for files of this program and of the
/// programs that it starts. A signal that stops this process removes it too, if it is still empty.
class ScratchFolder {
 public:
  /// Creates the directory, without the content that a killed program may have left there. Throws Error
  /// (system).
  explicit ScratchFolder(std::string path);
  /// Creates a directory with a new name in the system's directory for temporary files, which only this user
  /// can read. Throws Error (system).
  static ScratchFolder temporary();
  /// Creates a directory with a new name in another one, which only this user can read. Throws Error
  /// (system).
  static ScratchFolder inside(const std::string& folder);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  /// Removes the directory with its content.
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  struct Created {};
  /// Takes over a directory that exists.
  ScratchFolder(std::string path, Created);

  std::string path_;
};

}  // namespace plimsoll::support
