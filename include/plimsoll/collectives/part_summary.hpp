#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/pop.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A part of a run. Times are sums over all ranks.
struct PartSummary {
  double wall_s = 0;
  double longest_wall_s = 0;       ///< of one rank
  double share = 0;                ///< wall_s / wall time of the run
  double mpi_s = 0;                ///< in MPI
  std::optional<double> waited_s;  ///< part of mpi_s: waiting for other ranks, as far as it was measured
  std::optional<Efficiencies> efficiencies;
  /// Why serialisation and transfer are unknown, as a clause; empty if they are known, or as unknown as all
  /// efficiencies.
  std::string transfer_unknown;
};

/// A region that the program marks.
struct RegionSummary : PartSummary {
  std::string name;
  std::uint32_t ranks = 0;  ///< that were in it
  double mpi_share = 0;     ///< mpi_s / time in MPI of the run
};

/// Windows of time that follow each other.
struct WindowSummary : PartSummary {
  double begin_s = 0;  ///< since the first rank began to record
  double end_s = 0;
  double thread_s = 0;  ///< wall_s summed over all threads that call MPI
};

/// Summarises the regions of a run, in descending order of their wall time.
std::vector<RegionSummary> summarize_regions(const MpiCalls& calls);

/// Summarises the windows of a run, in their order. Joins as many neighbours as necessary, equally many each
/// except at the end, so that at most `max_windows` (>= 1) remain. Cost: O(windows x ranks x log nodes).
std::vector<WindowSummary> summarize_windows(
    const MpiCalls& calls, std::size_t max_windows = std::numeric_limits<std::size_t>::max());

/// Returns the difference between the highest and the lowest parallel efficiency of windows; 0 if fewer than
/// two are known. Windows in which the ranks recorded less than half of the time do not count: one that is
/// cut short by the end of the run tells little.
double spread_of_efficiency(const std::vector<WindowSummary>& windows);

}  // namespace plimsoll::collectives
