#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/part_summary.hpp>
#include <plimsoll/collectives/pop.hpp>
#include <plimsoll/collectives/processor_use.hpp>
#include <plimsoll/support/imbalance.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

// Shares are fractions of the thread time of a run: the time from MPI_Init to MPI_Finalize, summed over all
// threads that call MPI. For ranks with one such thread, it is the wall time.

/// A call site, with values that follow from its sums. Refers to the MpiCalls.
struct CallSite {
  const MpiCalls::Site* site = nullptr;
  const std::string* function = nullptr;  ///< name of the MPI function
  double share = 0;
  /// Time that ranks waited for the ranks on which they depend, summed over all ranks, as measured. 0 for
  /// functions that cannot wait; empty if it was not measured.
  std::optional<double> waited_s;
  double imbalance = 0;  ///< max / mean - 1 of the times of the ranks that made the call

  std::uint64_t bytes() const { return site->sent_bytes + site->received_bytes; }
};

/// Quantity by which call sites are sorted, in descending order.
enum class SiteOrder { by_time, by_wait, by_bytes, by_calls };

/// Returns all call sites in an order. Cost: O(sites x log sites).
std::vector<CallSite> list_call_sites(const MpiCalls& calls, SiteOrder order = SiteOrder::by_time);

/// Distribution of a time over ranks.
struct TimeBalance {
  double sum_s = 0;
  double mean_s = 0;
  double max_s = 0;
  double min_s = 0;
  std::uint32_t max_rank = 0;  ///< first rank with max_s
  std::uint32_t min_rank = 0;  ///< first rank with min_s

  /// Returns max / mean - 1; 0 without time.
  double imbalance() const { return support::imbalance(max_s, mean_s); }
};

/// Share of a run that MPI takes, and the efficiency of the run.
struct MpiSummary {
  /// Sums of an MPI function over all ranks.
  struct Function {
    std::string name;
    std::uint32_t ranks = 0;  ///< ranks that called it
    std::uint64_t calls = 0;
    TimeBalance time;  ///< over the ranks that called it
    double share = 0;
    std::vector<MpiCalls::SizeClass> sizes;  ///< as in MpiCalls::Function
    std::vector<double> window_times_s;      ///< by window of `windows`; empty if unknown
  };

  /// Times of a rank, as means over its threads that call MPI.
  struct Rank {
    std::optional<double> outside_s;  ///< useful_s()
    double mpi_s = 0;                 ///< time in MPI
    std::optional<double> waited_s;   ///< part of it: time waited for other ranks, as far as it was measured
    std::optional<double> off_processor_s;  ///< part of outside_s: off_processor_s()
  };

  /// Point-to-point messages and one-sided transfers.
  struct PointToPoint {
    std::uint64_t messages = 0;  ///< saturates
    double bytes = 0;
    double between_nodes_bytes = 0;  ///< bytes between ranks on different hosts
  };

  double wall_s = 0;          ///< sum over all ranks
  double longest_wall_s = 0;  ///< of one rank
  double thread_s = 0;        ///< sum over all threads that call MPI
  double threads = 0;         ///< number of these threads, without ranks on which nothing was recorded
  double mpi_s = 0;           ///< time in MPI: waited_s + unknown_waits_s + the rest, without waits
  /// Sum of CallSite::waited_s; empty if calls may have waited and nothing was measured.
  std::optional<double> waited_s;
  std::optional<double> clock_error_s;  ///< MpiCalls::clock_error_s
  /// By how much `waited_s` may be wrong at most, because the clocks of hosts differ; empty if unknown.
  std::optional<double> waits_error_s;
  double unknown_waits_s = 0;  ///< time in calls that may have waited, an unknown part of which is waiting
  std::vector<std::string> functions_with_unknown_waits;  ///< in descending order of the time of their sites
  TimeBalance outside;  ///< time outside MPI, over all ranks on which it is known
  std::optional<Efficiencies> efficiencies;
  /// Why serialisation and transfer are unknown, as a clause; empty if they are known, or as unknown as all
  /// efficiencies.
  std::string transfer_unknown;
  ProcessorUse processors;
  std::optional<CoreSpeed> cores;  ///< empty if unknown on a rank
  PointToPoint point_to_point;
  std::uint32_t nodes = 0;  ///< number of different hosts
  /// Ranks with more time in MPI than wall time, whose number of threads is unknown. Their time outside MPI
  /// is then unknown, too.
  std::uint32_t ranks_with_unknown_threads = 0;
  std::uint32_t unrecorded_ranks = 0;  ///< ranks that stopped recording, or paused all the time
  std::vector<Function> functions;     ///< in descending order of their time
  std::vector<Rank> ranks;
  std::vector<RegionSummary> regions;  ///< that the program marks, in descending order of their time
  std::vector<WindowSummary> windows;  ///< of time

  double share_of(double time_s) const { return thread_s > 0 ? time_s / thread_s : 0; }
  double mpi_share() const { return share_of(mpi_s); }
};

/// Summarises the MPI calls of a run. Cost: O(functions x ranks + sites + pairs in the traffic).
MpiSummary summarize(const MpiCalls& calls);

/// Returns a short name of a call site, such as "solve.c:20 (solve)", from its location. If the line may
/// not be that of the call, the name contains the offset: "solve.c:12 (solve+0x1f, line of the function)". If
/// the line is unknown, returns the location without the directory of the module.
std::string short_location(const std::string& location);

/// Returns the file name of the program or library of a call site, such as "app", from its location.
std::string module_name(const std::string& location);

}  // namespace plimsoll::collectives
