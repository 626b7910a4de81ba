#include "collectives/recording/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Writes zeros to space that is already reserved. Access to a page that is already in memory costs a third
/// of the first access to a page that the system must create.
int write_zeros(int file, std::uint64_t begin, std::uint64_t end) {
  static std::byte zeros[MappedFile::smallest_part];
  while (begin < end) {
    const ssize_t written =
        pwrite(file, zeros, std::min(end - begin, MappedFile::smallest_part), static_cast<off_t>(begin));
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) begin += static_cast<std::uint64_t>(written);
  }
  return 0;
}

}  // namespace

MappedFile::MappedFile(std::string path, const Texts& texts)
    : path_(std::move(path)), texts_(texts), owner_(getpid()) {
  file_ = support::open_file(path_, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0444);
  if (!file_.is_open() && errno == EEXIST)
    throw support::usage_error(fmt::format("{} already exists: {}", texts_.file, support::in_quotes(path_)),
                               "use another directory or run ID");
  if (!file_.is_open())
    throw support::system_error(fmt::format("cannot create {}", texts_.file), path_, errno);
  // Where locks do not work, readers check processes.
  support::uninterrupted([&] { return ::flock(file_.number(), LOCK_EX | LOCK_NB); });
}

std::byte* MappedFile::map(std::uint64_t begin, std::uint64_t bytes, std::uint64_t file_bytes) {
  reserve(file_bytes);
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), static_cast<off_t>(begin));
  if (memory == MAP_FAILED) throw failure("map", errno);
  madvise(memory, bytes, MADV_DONTFORK);  // prevents children from keeping the file locked
  return static_cast<std::byte*>(memory);
}

void MappedFile::reserve(std::uint64_t file_bytes) {
  if (file_bytes <= file_bytes_) return;
  // Beyond this limit the system would also send SIGXFSZ to the program.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && file_bytes > limit.rlim_cur) throw failure("extend", EFBIG);
  int errno_value = 0;
  do {
    errno_value = posix_fallocate(file_.number(), static_cast<off_t>(file_bytes_),
                                  static_cast<off_t>(file_bytes - file_bytes_));
  } while (errno_value == EINTR);
  if (errno_value == 0) errno_value = write_zeros(file_.number(), file_bytes_, file_bytes);
  if (errno_value != 0) throw failure("extend", errno_value);
  file_bytes_ = file_bytes;
}

void MappedFile::truncate(std::uint64_t bytes) {
  [[maybe_unused]] const int status = ftruncate(file_.number(), static_cast<off_t>(bytes));
}

bool MappedFile::is_ours() const {
  return getpid() == owner_;
}

support::Error MappedFile::failure(const char* verb, int errno_value) const {
  std::string remedy;
  if (errno_value == EFBIG) remedy = "; set a higher limit of file sizes (ulimit -f)";
  if (errno_value == ENOSPC || errno_value == EDQUOT)
    remedy = "; check the free disk space, or use another file system";
  return support::system_error(fmt::format("cannot {} {}", verb, texts_.file), path_, errno_value,
                               texts_.loss + remedy);
}

}  // namespace plimsoll::collectives
