#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

/// Identity of a file when its lock was registered. Released descriptors may have been closed elsewhere.
struct LockedFile {
  std::atomic<bool> known = false;
  std::atomic<dev_t> device = 0;
  std::atomic<ino_t> inode = 0;
};

// Locked files by descriptor number. A measured program locks a few files, with low numbers.
std::array<LockedFile, 1024> locked_files;

// Closes inherited locks. Calls only functions that a child of a multi-threaded program may call.
void drop_locks() {
  for (int number = 0; number < static_cast<int>(locked_files.size()); ++number) {
    const LockedFile& locked = locked_files[static_cast<std::size_t>(number)];
    struct stat status {};
    if (!locked.known.load(std::memory_order_acquire) || ::fstat(number, &status) != 0 ||
        status.st_dev != locked.device || status.st_ino != locked.inode)
      continue;
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || ::dup3(nothing, number, O_CLOEXEC) < 0) ::close(number);
    ::close(nothing);
  }
}

/// Keeps processes that this one forks later from inheriting the lock of an open file (flock). They would
/// share the lock and keep it after this process was killed. In the children, the descriptor refers to
/// /dev/null.
void keep_lock_from_children(const Descriptor& file) {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, drop_locks); });
  struct stat status {};
  if (file.number() >= static_cast<int>(locked_files.size()) || ::fstat(file.number(), &status) != 0) return;
  LockedFile& locked = locked_files[static_cast<std::size_t>(file.number())];
  locked.known.store(false, std::memory_order_release);
  locked.device = status.st_dev;
  locked.inode = status.st_ino;
  locked.known.store(true, std::memory_order_release);
}

constexpr const char* check_folder = "check that the directory exists and is writable";

Error not_ours(const std::string& path, const std::string& why) {
  return usage_error(why, path, "use another name");
}

Error still_written(const std::string& path) {
  return usage_error("another program is writing it", path, "wait for it, or use another name");
}

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

Descriptor open_exclusively(const std::string& path) {
  return open_file(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool has_name(const Descriptor& file, const std::string& path) {
  return identity(path) == identity(file);
}

/// Opens the file of that name to replace it. The file is locked, and must be a plain file of this user.
/// Returns a closed descriptor if the file was removed in the meantime or must be kept.
Descriptor open_old(const std::string& path, bool replace) {
  Descriptor old = open_to_lock(path, O_NOFOLLOW);
  if (!old.is_open() && errno == ENOENT) return old;
  if (!old.is_open() && errno == ELOOP) throw not_ours(path, "is a symbolic link");
  if (!old.is_open()) throw system_error("cannot replace", path, errno);
  struct stat status {};
  if (::fstat(old.number(), &status) != 0) throw system_error("cannot examine", path, errno);
  if (!S_ISREG(status.st_mode)) throw not_ours(path, fmt::format("is {}", kind_of(status.st_mode)));
  const LockOutcome lock = try_lock(old);
  if (lock == LockOutcome::held) throw still_written(path);
  const bool is_worthless = status.st_size == 0 && lock == LockOutcome::locked;
  if (!replace && !is_worthless) return {};
  if (status.st_uid != ::geteuid()) throw not_ours(path, "belongs to another user");
  if (status.st_nlink > 1) throw not_ours(path, "has more than one hard link");
  return old;
}

}  // namespace

bool Descriptor::close() {
  if (!is_open()) return true;
  // The same file, or a new one with its inode, may get this number without a lock.
  if (number_ < static_cast<int>(locked_files.size()))
    locked_files[static_cast<std::size_t>(number_)].known.store(false, std::memory_order_release);
  return ::close(release()) == 0;
}

FileIdentity identity(const Descriptor& file) {
  PLIMSOLL_EXPECT(file.is_open());
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw system_error("cannot examine", "an open file", errno);
  return {status.st_dev, status.st_ino};
}

std::optional<FileIdentity> identity(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

std::optional<FileVersion> version(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileVersion{
      .file = {status.st_dev, status.st_ino},
      .size_bytes = status.st_size,
      .changed_ns = status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
}

void remove_file(const std::string& path, const FileIdentity& file) {
  const Descriptor old = open_to_lock(path, O_NOFOLLOW);
  // With this lock, create_file() of another program cannot replace the file before it is removed.
  if (old.is_open() && try_lock(old) == LockOutcome::held) return;
  if (identity(path) != file) return;
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw system_error("cannot remove a file that has been replaced", path, errno);
}

Descriptor open_file(const std::string& path, int flags, mode_t mode) {
  return Descriptor(uninterrupted([&] { return ::open(path.c_str(), flags, mode); }));
}

Descriptor open_to_lock(const std::string& path, int flags) {
  flags |= O_NONBLOCK | O_CLOEXEC;
  Descriptor file = open_file(path, O_RDWR | flags);
  if (!file.is_open()) file = open_file(path, O_RDONLY | flags);
  return file;
}

LockOutcome try_lock(const Descriptor& file) {
  PLIMSOLL_EXPECT(file.is_open());
  const int result = uninterrupted([&] { return ::flock(file.number(), LOCK_EX | LOCK_NB); });
  if (result != 0) return errno == EWOULDBLOCK ? LockOutcome::held : LockOutcome::unsupported;
  keep_lock_from_children(file);
  return LockOutcome::locked;
}

Descriptor create_file(const std::string& path, bool replace) {
  Descriptor file = open_exclusively(path);
  Descriptor old;  // keeps its lock until the new file is locked
  if (!file.is_open() && errno == EEXIST) {
    old = open_old(path, replace);
    if (old.is_open() && has_name(old, path) && ::unlink(path.c_str()) != 0)
      throw system_error("cannot replace", path, errno);
    if (!old.is_open() && !replace && identity(path)) return {};
    file = open_exclusively(path);
    if (!file.is_open() && errno == EEXIST) throw still_written(path);
  }
  if (!file.is_open()) throw system_error("cannot create", path, errno, check_folder);
  // Before this check, another process may have mistaken the new file for an old one.
  if (try_lock(file) == LockOutcome::held || !has_name(file, path)) throw still_written(path);
  return file;
}

bool can_create_file(const std::string& path, bool replace) {
  return !identity(path) || open_old(path, replace).is_open();
}

void check_target(const std::string& path, bool overwrite) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (!overwrite) throw already_exists(path);
  if (!S_ISREG(status.st_mode))
    throw not_ours(path, fmt::format("is {}, which cannot be replaced by a file", kind_of(status.st_mode)));
}

Error already_exists(const std::string& path) {
  return usage_error("already exists", path, "use another name, or allow overwriting");
}

}  // namespace plimsoll::support
