#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Phases with data in a data set, ascending. Phases that a file lists as identical to an earlier phase are
/// included.
struct PhaseCoverage {
  std::vector<std::int64_t> complete;  ///< phases with data on all ranks
  std::vector<std::int64_t> partial;   ///< phases with data on some ranks only, as left by killed programs
};

/// Computes the phase coverage. Cost: O(ranks x phases^2).
PhaseCoverage phase_coverage(const Dataset& dataset);

}  // namespace plimsoll::lbdata
