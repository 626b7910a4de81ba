#pragma once

#include <cstdint>

namespace plimsoll::inline v0_1::objects {

// The number in an element's ObjectId has 46 bits: those of its collection and of its position.
inline constexpr int position_bits = 36;
inline constexpr std::uint64_t max_positions = std::uint64_t{1} << position_bits;
inline constexpr std::uint32_t max_collections = (1U << 10) - 1;

inline std::uint64_t object_number_of(std::uint32_t collection, std::uint64_t position) {
  return std::uint64_t{collection} << position_bits | position;
}

}  // namespace plimsoll::objects
