#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Maximum text size of the files of this module.
inline constexpr std::uint64_t max_text_bytes = std::uint64_t{64} << 20;

/// Limit on the text of a compressed file: `max_gzip_ratio` times the file size, plus an allowance for small
/// files. Timing files are compressed to a tenth, but the text of a malicious file could be a thousand times
/// as large as the file.
inline constexpr std::uint64_t max_gzip_ratio = 100;
inline constexpr std::uint64_t gzip_allowance_bytes = std::uint64_t{1} << 20;

/// Reads the whole text of a gzip or plain file, regardless of its name. Throws Error (system) if the file
/// cannot be opened or read. Throws Error (bad_input) if it is a directory, a pipe or a device, or if its
/// gzip stream is damaged. Also throws Error (bad_input) if the text exceeds `max_bytes` or the limit for its
/// compressed size.
std::string read_gzip_or_plain(const std::string& path, std::uint64_t max_bytes = max_text_bytes);

/// Reads only the first bytes of the text, to detect the file type. Returns fewer if the text is shorter or
/// its gzip stream is damaged. Throws the same Errors as read_gzip_or_plain(), except for the file's size.
std::string read_start_of_gzip_or_plain(const std::string& path, std::size_t bytes);

}  // namespace plimsoll::pelayout
