#pragma once

#include <mpi.h>

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Comparison of this rank's clock with rank 0's clock: rank 0's time is local_ns + offset_ns, within
/// error_ns.
struct ClockComparison {
  std::int64_t local_ns = 0;
  std::int64_t offset_ns = 0;
  std::int64_t error_ns = 0;
};

/// Compares the clocks of all hosts. Collective. One rank of each host asks its parent in a binomial tree;
/// the parent's offset is known by then. No rank answers more than log2(hosts) others, and errors add up
/// along at most as many steps.
ClockComparison compare_clocks(MPI_Comm communicator);

/// Compares the clocks again, and returns to rank 0 by how much times of two ranks on the shared clock may be
/// wrong in relation to each other since this rank's comparison `begin`: by its error, and because clocks of
/// hosts drift apart. 0 on a single host. Collective.
std::int64_t clock_error_since(const ClockComparison& begin, MPI_Comm communicator);

}  // namespace plimsoll::interpose
