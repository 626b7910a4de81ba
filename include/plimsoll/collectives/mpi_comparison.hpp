#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Calls of an MPI function in two runs, summed over all ranks.
struct MpiFunctionChange {
  std::string name;
  BeforeAfter<std::uint64_t> calls;
  BeforeAfter<double> time_s;
};

/// Comparison of the MPI calls of two runs, which may have different numbers of ranks.
struct MpiComparison {
  BeforeAfter<MpiSummary> summary;
  std::vector<MpiFunctionChange> functions;  ///< those with the largest difference of their times first
};

/// Compares the MPI calls of two runs. Cost: that of summarize() for each.
MpiComparison compare(const MpiCalls& before, const MpiCalls& after);

}  // namespace plimsoll::collectives
