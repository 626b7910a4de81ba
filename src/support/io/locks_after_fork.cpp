#include "support/io/locks_after_fork.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

/// Identity of a file when its lock was registered. The descriptor's number may refer to another file later.
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

}  // namespace

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

}  // namespace plimsoll::support
