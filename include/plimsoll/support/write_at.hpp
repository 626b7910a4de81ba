#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Writes all bytes at a position in a file; `path` is used in the error. Throws Error (system) on failure,
/// such as a full disk. Exceeding the file size limit (`ulimit -f`) is also such an error, not a signal
/// (SIGXFSZ) that ends the program.
void write_at(const Descriptor& file, std::string_view bytes, std::uint64_t position,
              const std::string& path);

}  // namespace plimsoll::support
