#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Kinds of codes of a NumberList, in their lowest bits. Numbers are stored as LEB128.
enum class CodeKind : std::uint8_t {
  single,    ///< distance from the number before
  run,       ///< distance; size - 2
  period,    ///< number of runs; rounds; step; codes of the runs
  far_away,  ///< (nothing); first; last
};

inline constexpr int kind_bits = 2;

constexpr CodeKind code_kind(std::uint64_t code) {
  return static_cast<CodeKind>(code % (1U << kind_bits));
}
constexpr std::uint64_t code_of(CodeKind kind, std::uint64_t content = 0) {
  return content << kind_bits | static_cast<std::uint64_t>(kind);
}

/// Maps small positive and negative distances to small numbers.
constexpr std::uint64_t folded_distance(std::uint64_t distance) {
  return distance << 1 ^ (distance >> 63 != 0 ? UINT64_MAX : 0);
}
constexpr std::uint64_t unfolded_distance(std::uint64_t number) {
  return number >> 1 ^ (number % 2 != 0 ? UINT64_MAX : 0);
}

}  // namespace plimsoll::collectives
