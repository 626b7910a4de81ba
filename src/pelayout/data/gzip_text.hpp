#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::pelayout {

/// The whole text of a file that is gzip or plain, whatever its name.
/// Throws Error: system if it cannot be opened or read; bad_input if it is a directory, a pipe or a device, if its
/// gzip stream is broken, or if it has more than `max_bytes` of text.
std::string read_gzip_or_plain(const std::string& path, std::uint64_t max_bytes = std::uint64_t{64} << 20);

}  // namespace plimsoll::pelayout
