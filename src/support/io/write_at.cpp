#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

constexpr const char* make_room = "check the free disk space, or use another file system";

bool exceeds_limit(std::uint64_t file_bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         file_bytes > limit.rlim_cur;
}

}  // namespace

void write_at(const Descriptor& file, std::string_view bytes, std::uint64_t position,
              const std::string& path) {
  if (exceeds_limit(position + bytes.size()))
    throw system_error("writing failed", path, EFBIG, "set a higher limit of file sizes (ulimit -f)");
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("writing failed", path, errno, make_room);
    position += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace plimsoll::support
