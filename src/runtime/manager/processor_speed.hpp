#pragma once

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Measures the speed of this rank's processor relative to the fastest rank, 0 to 1: how often it computes a
/// small kernel of square roots within 50 ms of CPU time, as Charm++'s `+LBTestPESpeed` does within 200 ms.
/// Speeds within 5 % of the fastest count as 1, because they cannot be told from noise. Collective.
double relative_speed(const mpi::Communicator& communicator);

}  // namespace plimsoll::runtime
