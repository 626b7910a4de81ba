#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::support {

/// The content of a small file, such as settings. Throws Error: system if it cannot be read, bad_input if it
/// is a directory or a device, or has more than `max_bytes`.
std::string read_text_file(const std::string& path, std::uint64_t max_bytes = std::uint64_t{16} << 20);

}  // namespace plimsoll::support
