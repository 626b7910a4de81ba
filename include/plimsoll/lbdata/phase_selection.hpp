#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/phase_range.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Which phases to work on, as users write it: `0-10,20,%50` means phases 0 to 10 (both included), 20, and
/// every 50th (0, 50, 100...).
class PhaseSelection {
 public:
  /// Every phase.
  static PhaseSelection all();
  /// Throws Error (usage), with the position, for anything outside the grammar
  /// `term[,term...]`, term = `N` | `N-M` | `%N`; blanks around terms are ignored.
  static PhaseSelection parse(std::string_view text);

  /// O(log of the number of ranges + number of `%` terms).
  bool contains(std::int64_t phase) const;
  bool is_all() const;

 private:
  PhaseSelection() = default;
  std::vector<PhaseRange> ranges_;  // ascending, apart from each other
  std::vector<std::int64_t> steps_;
};

}  // namespace plimsoll::lbdata
