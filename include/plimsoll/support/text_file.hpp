#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the whole content of a small plain file, such as one that users write by hand. Throws Error:
/// system if it cannot be opened or read; bad_input if it is a directory, a pipe or a device, or has more
/// than `max_bytes`.
std::string read_text_file(const std::string& path, std::uint64_t max_bytes = std::uint64_t{16} << 20);

/// Writes a file that is complete and on the disk when it gets its name. Throws Error as OutputFile does:
/// usage if it exists and may not be overwritten, system if writing fails.
void write_text_file(const std::string& path, std::string_view text, bool overwrite);

}  // namespace plimsoll::support
