#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Buffer size that write_double() needs.
inline constexpr std::size_t max_double_chars = 32;

/// Writes a finite double in the fewest digits that read back as the same double. It always writes a fraction
/// or an exponent so that JSON readers do not treat it as an integer: 1.0, 1000000.0, 1e-05, 1.5e+16.
/// nlohmann::json, and therefore vt, uses the same format. Returns the end of the text.
char* write_double(char* output, double value);

/// Appends a double in the format of write_double(). NaN and infinities, which JSON does not support, become
/// "null".
void append_double(std::string& output, double value);

/// Appends text as a JSON string with its quotes (RFC 8259). Bytes that are not UTF-8 become U+FFFD, so that
/// the result is always UTF-8. Characters for which is_printable() is false are escaped, so that a terminal
/// may show the result.
void append_json_string(std::string& output, std::string_view text);

/// Appends the name of a member to a JSON pointer (RFC 6901) for display: "/name", with '~' and '/' escaped
/// and control characters as '?'. At most the first 100 bytes of the name are appended, in whole characters.
void append_pointer_name(std::string& pointer, std::string_view name);

}  // namespace plimsoll::support
