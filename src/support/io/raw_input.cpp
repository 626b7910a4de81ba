#include "support/io/raw_input.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

RawInput::RawInput(const std::string& path) : name_(path), descriptor_(open_input_file(path)) {
  struct stat status {};
  if (::fstat(descriptor_.number(), &status) != 0)
    throw system_error("cannot determine its size", path, errno);
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

RawInput::RawInput(std::string_view content, std::string name)
    : name_(std::move(name)), content_(content), file_bytes_(content.size()) {}

std::size_t RawInput::read(char* buffer, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t got = read_some(buffer + filled, size - filled);
    if (got == 0) break;
    filled += got;
  }
  read_bytes_ += filled;
  return filled;
}

std::size_t RawInput::read_some(char* buffer, std::size_t size) {
  if (!descriptor_.is_open()) {
    const std::size_t got = std::min(size, content_.size());
    if (got > 0) std::memcpy(buffer, content_.data(), got);
    content_.remove_prefix(got);
    return got;
  }
  for (;;) {
    const ssize_t got = ::read(descriptor_.number(), buffer, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw system_error("reading failed", name_, errno);
  }
}

std::uint64_t RawInput::file_bytes() const {
  return std::max(file_bytes_, read_bytes_);
}

}  // namespace plimsoll::support
