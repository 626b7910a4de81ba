#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace plimsoll::inline v0_1::pelayout {

/// The most text that a file of this module may have.
inline constexpr std::uint64_t max_text_bytes = std::uint64_t{64} << 20;

/// The whole text of a file that is gzip or plain, whatever its name.
/// Throws Error: system if it cannot be opened or read; bad_input if it is a directory, a pipe or a device,
/// if its gzip stream is broken, or if it has more than `max_bytes` of text.
std::string read_gzip_or_plain(const std::string& path, std::uint64_t max_bytes = max_text_bytes);

/// Only the first bytes of its text, to tell what the file is; fewer if it has no more, or if its gzip stream
/// breaks before. Throws Error as read_gzip_or_plain(), but not for its size.
std::string read_start_of_gzip_or_plain(const std::string& path, std::size_t bytes);

}  // namespace plimsoll::pelayout
