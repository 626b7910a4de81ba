#pragma once

#include <mpi.h>

#include <cstdint>

namespace plimsoll::inline v0_1::alltoallv {

/// This rank's clock and that of rank 0: rank 0's = local_ns + offset_ns, give or take error_ns.
struct ClockComparison {
  std::int64_t local_ns = 0;
  std::int64_t offset_ns = 0;
  std::int64_t error_ns = 0;
};

/// Collective. Each rank asks its parent in a binomial tree, which knows its own offset by then: no rank
/// answers more than log2(ranks) others, and errors add up along as many.
ClockComparison compare_clocks(MPI_Comm communicator);

}  // namespace plimsoll::alltoallv
