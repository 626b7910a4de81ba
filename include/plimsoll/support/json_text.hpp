#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// Room that write_double() needs.
inline constexpr std::size_t max_double_chars = 32;

/// Writes a finite double in the fewest digits that read back as the same double, always with a fraction or
/// an exponent so that it is no integer to JSON readers that tell: 1.0, 1000000.0, 1e-05, 1.5e+16. The form
/// is the one of nlohmann::json, and so of vt's files. Returns the end of the text.
char* write_double(char* output, double value);

/// The same as a string; NaN and infinities, which JSON does not have, become "null".
void append_double(std::string& output, double value);

/// Appends text as a JSON string with its quotes (RFC 8259). Bytes that are not UTF-8 become U+FFFD, so
/// that the result always is; what is_printable() is not true of is escaped, so that a terminal may show it.
void append_json_string(std::string& output, std::string_view text);

/// Appends the name of a member to a JSON pointer (RFC 6901) that is shown to people: "/name", with '~' and
/// '/' escaped, control characters as '?', and at most the first 100 bytes of the name, in whole characters.
void append_pointer_name(std::string& pointer, std::string_view name);

}  // namespace plimsoll::support
