#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Which phases a data set has data of, ascending; what a file lists as identical to an earlier phase counts.
struct PhaseCoverage {
  std::vector<std::int64_t> complete;  ///< on all ranks
  std::vector<std::int64_t> partial;   ///< on some ranks only, as killed programs leave them
};

/// O(ranks x phases^2).
PhaseCoverage phase_coverage(const Dataset& dataset);

}  // namespace plimsoll::lbdata
