#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the size in bytes of the UTF-8 character at the front of `text` (not empty), or 0 if it is
/// invalid. A stray or missing continuation, an overlong form, a surrogate, and a number beyond U+10FFFF are
/// invalid (RFC 3629).
inline std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t position) { return static_cast<unsigned char>(text[position]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t position = 1; position < size; ++position) {
    if ((byte(position) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool too_large = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : size;
}

/// Returns the code point of the character of `size` bytes at the front of `text`; utf8_size() returns
/// `size`.
inline std::uint32_t utf8_code_point(std::string_view text, std::size_t size) {
  static constexpr unsigned lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t point = static_cast<unsigned char>(text[0]) & lead_mask[size];
  for (std::size_t position = 1; position < size; ++position) {
    point = (point << 6) | (static_cast<unsigned char>(text[position]) & 0x3F);
  }
  return point;
}

/// Returns up to `max_bytes` bytes from the front of a text, without an incomplete character at the end. A
/// run of continuation bytes that belongs to no character may be split anywhere.
inline std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const auto continues = [&](std::size_t position) {
    return (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80;
  };
  std::size_t end = max_bytes;
  for (int step = 0; step < 3 && end > 0 && continues(end); ++step) --end;
  return text.substr(0, continues(end) ? max_bytes : end);
}

}  // namespace plimsoll::support
