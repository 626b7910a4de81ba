#pragma once

#include <unistd.h>

#include <cerrno>

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Writes the content of a file to the disk. Returns errno if that fails, else 0.
inline int error_of_sync(const Descriptor& file) {
  int result = 0;
  do result = ::fsync(file.number());
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

}  // namespace plimsoll::support
