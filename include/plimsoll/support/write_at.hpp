#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::inline v0_1::support {

/// Writes all bytes at a place of a file; `path` is for the error. Throws Error (system) if that fails, such
/// as for a full disk. That the file would exceed the limit of its size (`ulimit -f`) is such an error, too,
/// and not a signal (SIGXFSZ) that ends the program.
void write_at(const Descriptor& file, std::string_view bytes, std::uint64_t position,
              const std::string& path);

}  // namespace plimsoll::support
