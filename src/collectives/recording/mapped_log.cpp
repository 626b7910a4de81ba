#include "collectives/recording/mapped_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t smallest_window = std::uint64_t{64} << 10;  // a multiple of all common page sizes
constexpr std::uint64_t largest_window = std::uint64_t{1} << 20;

constexpr std::uint64_t round_up(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

std::byte* copied(std::span<const std::byte> bytes, std::byte* to) {
  return std::ranges::copy(bytes, to).out;
}

/// Writes zeros to space that is already reserved. Access to a page that is already in memory costs a third
/// of the first access to a page that the system must create.
int write_zeros(int file, std::uint64_t begin, std::uint64_t end) {
  static std::byte zeros[smallest_window];
  while (begin < end) {
    const ssize_t written =
        pwrite(file, zeros, std::min(end - begin, smallest_window), static_cast<off_t>(begin));
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) begin += static_cast<std::uint64_t>(written);
  }
  return 0;
}

}  // namespace

MappedLog::MappedLog(std::string path)
    : path_(std::move(path)), owner_(getpid()), next_window_(smallest_window) {
  file_ = support::open_file(path_, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0444);
  if (!file_.is_open() && errno == EEXIST)
    throw support::usage_error("the log already exists: " + support::in_quotes(path_),
                               "use another directory or run ID");
  if (!file_.is_open()) throw support::system_error("cannot create the log", path_, errno);
  // Where locks do not work, readers check processes.
  support::uninterrupted([&] { return ::flock(file_.number(), LOCK_EX | LOCK_NB); });
  try {
    make_room(smallest_window);
  } catch (...) {
    unlink(path_.c_str());
    throw;
  }
}

MappedLog::~MappedLog() {
  finish();
}

void MappedLog::finish() {
  if (!current_.bytes) return;
  if (!is_ours()) return abandon();
  unmap(previous_);
  unmap(current_);
  // If the file cannot be truncated, zeros stay at its end, which readers ignore.
  [[maybe_unused]] const int status = ftruncate(file_.number(), static_cast<off_t>(used_));
}

void MappedLog::abandon() {
  current_ = {};
  previous_ = {};
  file_.close();
}

bool MappedLog::is_ours() const {
  return getpid() == owner_;
}

MappedLog::Position MappedLog::append_bytes(rank_log::Kind kind, std::span<const std::byte> record,
                                            std::initializer_list<std::span<const std::byte>> parts,
                                            std::uint64_t room) {
  std::uint64_t content = record.size();
  for (const auto part : parts) content += part.size();
  content = round_up(content, 8);
  const std::uint64_t bytes = content + sizeof(std::uint64_t) + round_up(room, 8);
  if (!can_grow()) return nowhere;
  if (used_ + bytes > current_.begin + current_.size) {
    try {
      make_room(bytes);
    } catch (const Error& error) {
      error_ = error.what();
      return nowhere;
    }
  }

  std::byte* const place = current_.bytes + (used_ - current_.begin);
  constexpr std::size_t header_bytes = sizeof(rank_log::RecordHeader);
  std::byte* end = copied(record.subspan(header_bytes), place + header_bytes);
  for (const auto part : parts) end = copied(part, end);
  const rank_log::RecordHeader header = {kind, static_cast<std::uint32_t>(bytes)};
  *reinterpret_cast<std::uint64_t*>(place + content) =
      rank_log::check_of(header, {place + header_bytes, content - header_bytes});
  publish(*reinterpret_cast<std::uint64_t*>(place), std::bit_cast<std::uint64_t>(header));
  return std::exchange(used_, used_ + bytes);
}

void MappedLog::make_room(std::uint64_t bytes) {
  const support::NoCancellation no_cancellation;
  if (bytes > UINT32_MAX) throw failure("log record too large", EFBIG);
  Window window;
  window.begin = used_ / smallest_window * smallest_window;
  window.size = std::max(next_window_, round_up(used_ - window.begin + bytes, smallest_window));
  reserve(window.begin + window.size);
  void* const memory = mmap(nullptr, window.size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(),
                            static_cast<off_t>(window.begin));
  if (memory == MAP_FAILED) throw failure("cannot map the log", errno);
  madvise(memory, window.size, MADV_DONTFORK);  // prevents children from keeping the file locked
  window.bytes = static_cast<std::byte*>(memory);
  unmap(previous_);
  previous_ = std::exchange(current_, window);
  next_window_ = std::min(2 * next_window_, largest_window);
}

void MappedLog::reserve(std::uint64_t file_bytes) {
  if (file_bytes <= file_bytes_) return;
  // Beyond this limit the system would also send SIGXFSZ to the program.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && file_bytes > limit.rlim_cur)
    throw failure("cannot extend the log", EFBIG);
  int errno_value = 0;
  do {
    errno_value = posix_fallocate(file_.number(), static_cast<off_t>(file_bytes_),
                                  static_cast<off_t>(file_bytes - file_bytes_));
  } while (errno_value == EINTR);
  if (errno_value == 0) errno_value = write_zeros(file_.number(), file_bytes_, file_bytes);
  if (errno_value != 0) throw failure("cannot extend the log", errno_value);
  file_bytes_ = file_bytes;
}

support::Error MappedLog::failure(const std::string& what, int errno_value) const {
  std::string remedy;
  if (errno_value == EFBIG) remedy = "; set a higher limit of file sizes (ulimit -f)";
  if (errno_value == ENOSPC || errno_value == EDQUOT)
    remedy = "; check the free disk space, or use another file system";
  return support::system_error(what, path_, errno_value, "later calls are not recorded" + remedy);
}

void MappedLog::unmap(Window& window) {
  if (window.bytes) munmap(window.bytes, window.size);
  window = {};
}

}  // namespace plimsoll::collectives
