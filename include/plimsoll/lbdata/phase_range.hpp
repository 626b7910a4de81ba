#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phases `first` to `last`, both included.
struct PhaseRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  /// Returns the number of phases.
  std::int64_t size() const { return last - first + 1; }
  friend bool operator==(const PhaseRange&, const PhaseRange&) = default;
};

/// Formats a range: "97-103", or "7" for one phase.
std::string to_string(const PhaseRange& range);

/// Parses a range as formatted by to_string(). `option` is the name of the option in messages, such as
/// "--phases". Throws Error (usage) for any other text, a number beyond 64 bits, and a range that ends before
/// it begins.
PhaseRange parse_phase_range(const std::string& text, const std::string& option);

}  // namespace plimsoll::lbdata
