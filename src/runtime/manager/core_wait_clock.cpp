#include "runtime/manager/core_wait_clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace plimsoll::PLIMSOLL_ABI::runtime {

CoreWaitClock::CoreWaitClock(const char* file) : file_(::open(file, O_RDONLY | O_CLOEXEC)) {}

// The file contains the time on a core, the time waiting for one, both in nanoseconds, and the number of time
// slices, which is 0 if the kernel counts nothing.
std::optional<std::int64_t> CoreWaitClock::nanoseconds() const {
  std::array<char, 80> text{};
  const ssize_t size = file_.is_open() ? ::pread(file_.number(), text.data(), text.size(), 0) : -1;
  if (size <= 0) return {};
  const char* const end = text.data() + size;
  std::array<std::int64_t, 3> values{};
  const char* at = text.data();
  for (std::int64_t& value : values) {
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || next == end) return {};
    at = next + 1;
  }
  if (values[2] == 0) return {};
  return values[1];
}

}  // namespace plimsoll::runtime
