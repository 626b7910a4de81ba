#pragma once

#include <unistd.h>

#include <cerrno>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Writes the content of a file to the disk. Returns errno if that fails, else 0.
inline int error_of_sync(const Descriptor& file) {
  return uninterrupted([&] { return ::fsync(file.number()); }) == 0 ? 0 : errno;
}

}  // namespace plimsoll::support
