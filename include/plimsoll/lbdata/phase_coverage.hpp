#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phases with data in a data set, ascending. Phases that a file lists as identical to an earlier phase are
/// included.
struct PhaseCoverage {
  std::vector<std::int64_t> complete;  ///< phases with data on all ranks
  /// Phases with data on some ranks only, for example because the program was killed.
  std::vector<std::int64_t> partial;
  /// For each complete phase: an earlier complete phase with the same data on all ranks, or the phase itself.
  std::vector<std::int64_t> first_alike;
};

/// Maximum number of phases of a data set. The limit is necessary because a few bytes of a file can list many
/// phases.
inline constexpr std::uint64_t max_phases = 1'000'000;

/// Computes the phase coverage. Cost: O(ranks x changes + phases), where consecutive phases that all ranks
/// list as identical are one change. Throws Error (bad_input) for more than max_phases phases with data.
PhaseCoverage phase_coverage(const Dataset& dataset);

}  // namespace plimsoll::lbdata
