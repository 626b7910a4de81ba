#pragma once

#include <bit>

#include "lbdata/json/number_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

constexpr std::uint64_t repeated(unsigned char byte) {
  return 0x0101010101010101ULL * byte;
}

/// Sets the high bit of the first byte that ends the plain part of a string, and possibly of later bytes.
/// Such bytes are quotes, backslashes, control characters and non-ASCII bytes.
inline std::uint64_t special_bytes(std::uint64_t word) {
  const auto zero_bytes = [](std::uint64_t w) { return (w - repeated(1)) & ~w; };
  return (zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\')) | (word - repeated(0x20)) |
          word) &
         repeated(0x80);
}

/// Skips a string of ASCII characters without escapes; returns false for other strings. A zero byte and 16
/// more readable bytes must follow the text.
inline bool skip_usual_string(const char*& at) {
  if (*at != '"') return false;
  std::uint64_t special;
  for (++at; (special = special_bytes(read_word(at))) == 0;) at += 8;
  at += std::countr_zero(special) / 8;
  return *at++ == '"';
}

}  // namespace plimsoll::lbdata
