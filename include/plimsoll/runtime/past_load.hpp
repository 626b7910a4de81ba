#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Load of one object in one earlier phase: the part of its history that load models read. It moves with the
/// object to other ranks.
struct PastLoad {
  std::int64_t phase = 0;           ///< number of the phase
  double time_s = 0;                ///< load including subphases
  std::vector<double> subphases_s;  ///< loads by subphase; empty if the object worked in no subphase
};

}  // namespace plimsoll::runtime
