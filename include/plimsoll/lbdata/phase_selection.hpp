#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/phase_range.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Selection of phases in users' notation: `0-10,20,%50` means phases 0 to 10 (both included), 20, and every
/// 50th phase (0, 50, 100...).
class PhaseSelection {
 public:
  /// Selects every phase.
  static PhaseSelection all();
  /// Parses a selection with the grammar `term[,term...]`, term = `N` | `N-M` | `%N`; spaces around terms are
  /// ignored. Throws Error (usage), with the position, for any other text.
  static PhaseSelection parse(std::string_view text);

  /// Returns whether `phase` is selected. Cost: O(log of the number of ranges + number of `%` terms).
  bool contains(std::int64_t phase) const;
  /// Returns whether a phase from `first` to `last` is selected; false if `last` < `first`. Requires `first`
  /// >= 0. Cost: as contains().
  bool contains_any(std::int64_t first, std::int64_t last) const;
  bool is_all() const;

 private:
  PhaseSelection() = default;
  std::vector<PhaseRange> ranges_;  // ascending, not adjacent
  std::vector<std::int64_t> steps_;
};

}  // namespace plimsoll::lbdata
