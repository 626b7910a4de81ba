#pragma once

#include <cstdint>
#include <cstring>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the next 8 bytes of a text in native byte order; they must be readable.
inline std::uint64_t read_word(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

}  // namespace plimsoll::lbdata
