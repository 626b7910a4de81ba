#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/imbalance.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A fact that costs a program time or bytes, and the command that follows.
struct Finding {
  std::string text;             ///< sentence without a full stop, with a number
  std::string command;          ///< command line that shows more; empty if nothing is to be done
  std::optional<double> share;  ///< share of the run that it concerns, if known
};

/// Returns "plimsoll COMMAND PATHS OPTIONS" for a shell. `paths` are the files and directories of a profile;
/// "." alone is omitted, because commands read the current directory by default.
std::string command_line(const std::string& command, const std::vector<std::string>& paths,
                         const std::string& options = {});

// Shares are fractions of the wall time of a run: the time from MPI_Init to MPI_Finalize, summed over all
// ranks.

/// A call site, with values that follow from its sums. Refers to the MpiCalls.
struct CallSite {
  const MpiCalls::Site* site = nullptr;
  const std::string* function = nullptr;  ///< name of the MPI function
  double share = 0;
  /// Maximum time that ranks may have waited for other ranks, summed over all ranks. For functions that
  /// may_wait(), their time, which includes transfers. For blocking collectives, the time of each rank beyond
  /// that of the fastest rank in each call, which includes transfers if a rank leaves the call early (the
  /// root of MPI_Bcast), or if the ranks call from this site on separate communicators. Empty for other
  /// functions, and if the ranks made different numbers of calls.
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

/// Share of a run that MPI takes, and the balance of the rest.
struct MpiSummary {
  /// Sums of an MPI function over all ranks.
  struct Function {
    std::string name;
    std::uint32_t ranks = 0;  ///< ranks that called it
    std::uint64_t calls = 0;
    TimeBalance time;  ///< over the ranks that called it
    double share = 0;
  };

  /// Times of a rank.
  struct Rank {
    /// Time outside MPI: wall time minus time in MPI; empty if several threads spent more time in MPI.
    std::optional<double> outside_s;
    double waits_s = 0;  ///< time in functions whose purpose is waiting
    /// Part of MpiSummary::waited_s on this rank; empty if unknown for a collective.
    std::optional<double> waited_s;
  };

  /// Point-to-point messages and one-sided transfers.
  struct PointToPoint {
    std::uint64_t messages = 0;  ///< saturates
    double bytes = 0;
    double between_nodes_bytes = 0;  ///< bytes between ranks on different hosts
  };

  double wall_s = 0;          ///< sum over all ranks
  double longest_wall_s = 0;  ///< of one rank
  double mpi_s = 0;           ///< sum over all ranks
  double waited_s = 0;        ///< sum of CallSite::waited_s
  TimeBalance outside;        ///< time outside MPI, over all ranks on which it is known
  /// Time that ranks waited in collectives beyond the time that their totals outside MPI explain: in each
  /// call, other ranks are late. At most the wait time that the time outside MPI can cause, if one rank works
  /// at a time. 0 if the time outside MPI is unknown on a rank.
  double uneven_calls_s = 0;
  PointToPoint point_to_point;
  std::uint32_t nodes = 0;  ///< number of different hosts
  /// Ranks with more time in MPI than wall time, because several threads call MPI. Their time outside MPI is
  /// unknown.
  std::uint32_t ranks_beyond_wall_time = 0;
  std::vector<Function> functions;  ///< in descending order of their time
  std::vector<Rank> ranks;

  double mpi_share() const { return wall_s > 0 ? mpi_s / wall_s : 0; }
  double waited_share() const { return wall_s > 0 ? waited_s / wall_s : 0; }
  double uneven_calls_share() const { return wall_s > 0 ? uneven_calls_s / wall_s : 0; }
};

/// Summarises the MPI calls of a run. Cost: O(functions x ranks + sites + pairs in the traffic).
MpiSummary summarize(const MpiCalls& calls);

/// Smallest share of a run that can shorten it noticeably.
constexpr double relevant_share = 0.05;

/// Returns whether MPI takes a relevant share of a run.
bool is_mpi_relevant(const MpiSummary& summary);

/// Returns at most three findings, the largest share first: load imbalance outside MPI, the most expensive
/// call site, and what another placement of the ranks saves, if the caller found one (`placement`). If none
/// of them concerns a relevant share of the run, the only finding is that optimising MPI gains nothing, or
/// that its time is spread over many sites. `paths` are the files and directories of the profile, for the
/// commands.
std::vector<Finding> mpi_findings(const MpiCalls& calls, const std::vector<std::string>& paths,
                                  const std::optional<Finding>& placement = {});

/// Returns a short name of a call site, such as "solve.c:20 (solve)", from its location. If the line is
/// unknown, returns the location without the directory of the module.
std::string short_location(const std::string& location);

/// Returns the file name of the program or library of a call site, such as "app", from its location.
std::string module_name(const std::string& location);

}  // namespace plimsoll::collectives
