#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Condition under which a strategy of the schedule runs, and its migrations take place.
struct LbCondition {
  /// What decides.
  enum class Kind : std::uint8_t {
    pays,       ///< BenefitRule decides
    always,     ///< every time
    threshold,  ///< if the imbalance of the phase (max/mean - 1) exceeds min_imbalance
  };
  Kind kind = Kind::pays;
  double min_imbalance = 0;

  /// Parses "pays", "always" or a number >= 0. Returns nothing for other text.
  static std::optional<LbCondition> parse(std::string_view text);
};

}  // namespace plimsoll::balance
