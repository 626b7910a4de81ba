#pragma once

#include <map>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/imbalance.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Minimum, maximum and mean of a set of integers. Sums beyond 64 bits saturate.
struct Spread {
  std::uint64_t values = 0;  ///< number of values
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::uint64_t sum = 0;

  double mean() const { return values == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(values); }
  /// Returns the imbalance, max / mean - 1; 0 if all numbers are 0.
  double imbalance() const { return support::imbalance(static_cast<double>(max), mean()); }
  /// Adds one number, `times` times.
  void add(std::uint64_t number, std::uint64_t times = 1);
  /// Adds all numbers of another spread, `times` times.
  void add(const Spread& others, std::uint64_t times);
};

/// Spread of a set of numbers, and of the non-zero numbers among them.
struct SpreadWithZeros {
  Spread all;
  Spread nonzero;
  std::uint64_t zeros() const { return all.values - nonzero.values; }
  void add(std::uint64_t number, std::uint64_t times = 1);
};

/// A pair of ranks of a communicator whose sent and received bytes differ.
struct Mismatch {
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

/// Calls whose sent and received bytes differ.
struct Inconsistency {
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  Operation operation;
  std::uint64_t first_call = 0;
  std::uint64_t calls = 0;
  Mismatch pair;  ///< first mismatch
};

/// Returns the first pair, sorted by sender and then by receiver, whose sent and received bytes differ;
/// nothing if all match. Cannot be used for inter-communicators: the counts of the other group are in another
/// count set. Cost: O(numbers), even if many ranks share a row.
std::optional<Mismatch> first_mismatch(const Signature& signature);

/// Imbalance (see Spread::imbalance()) of the bytes per rank, call by call. In the sum over all calls, the
/// imbalances of single calls can cancel out, e.g. if a different rank sends the most bytes in each call.
struct CallImbalance {
  std::uint64_t calls = 0;  ///< calls that move bytes; other calls have no imbalance
  double mean = 0;          ///< mean over these calls
  double max = 0;           ///< maximum of these calls
  // The first call with the maximum imbalance, if `calls` is not 0.
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  Operation operation;
  std::uint64_t call = 0;
};

/// Send or receive side of all calls. A message is counted once per call and per rank that passed its count.
struct SideSummary {
  SpreadWithZeros message_count;  ///< elements per message (from one rank to one peer in one call)
  SpreadWithZeros message_bytes;
  SpreadWithZeros rank_count;  ///< elements per rank and call, for all peers together
  SpreadWithZeros rank_bytes;
  CallImbalance call_imbalance;
  std::vector<std::uint64_t> histogram;  ///< messages by bytes in [0, bins[0]), [bins[0], bins[1]) ...
  std::uint64_t small = 0;               ///< messages from 1 byte up to the threshold
  std::uint64_t large = 0;               ///< larger messages
  std::map<std::uint64_t, std::uint64_t> zero_counts;  ///< number of calls by number of zero counts
  std::map<std::uint64_t, std::uint64_t> type_sizes;   ///< number of calls by type size that occurs on any of
                                                       ///< their ranks

  std::uint64_t messages() const { return message_bytes.all.values; }
  std::uint64_t bytes() const { return message_bytes.all.sum; }
};

/// One operation, for all leads.
struct OperationSummary {
  Operation operation;
  std::uint64_t calls = 0;
  std::uint64_t signatures = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// Totals of one communicator over all calls.
struct CommunicatorSummary {
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  std::optional<std::uint32_t> id;  ///< empty for calls whose communicator is unknown
  std::uint32_t size = 0;
  NumberList members;             ///< ranks in MPI_COMM_WORLD, by rank; empty if unknown
  std::uint32_t remote_size = 0;  ///< size of the remote group of an inter-communicator, else 0
  std::uint64_t calls = 0;        ///< number of recorded calls
  std::uint64_t bytes_sent = 0;
};

/// Totals of one rank of MPI_COMM_WORLD.
struct RankSummary {
  std::uint64_t calls = 0;  ///< calls with known counts in which the rank took part
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t timed_calls = 0;
  double time_s = 0;      ///< total time in these calls
  double max_time_s = 0;  ///< maximum time in one of these calls
  std::uint64_t latest_in_calls = 0;
  double made_wait_s = 0;  ///< total time that other ranks waited in calls that this rank entered last
  double waited_s = 0;     ///< total time that this rank waited for the last rank to enter

  /// Returns whether any value is known.
  bool is_active() const { return calls > 0 || timed_calls > 0 || latest_in_calls > 0 || waited_s > 0; }
};

/// Message sizes by which a summary groups messages.
struct SummaryOptions {
  /// Boundaries of bins in bytes, ascending; if empty, the powers of two from 1 to 2^63.
  std::vector<std::uint64_t> bins;
  std::uint64_t threshold_bytes = 200;  ///< messages up to this size are small
};

/// Summary of a profile.
struct Summary {
  SummaryOptions options;        ///< `bins` contains the boundaries used
  std::uint32_t world_size = 0;  ///< 0 if unknown
  std::uint64_t leads = 0;
  std::uint64_t calls = 0;
  std::vector<OperationSummary> operations;           ///< only operations that were called
  std::vector<CommunicatorSummary> communicators;     ///< ordered by job, lead and id
  std::map<std::uint32_t, std::uint64_t> comm_sizes;  ///< number of calls by size of their communicator
  SideSummary sent;
  SideSummary received;
  std::vector<RankSummary> ranks;    ///< indexed by world rank; may lack ranks at the end
  std::uint64_t unplaced_calls = 0;  ///< calls whose ranks are unknown, excluded from `ranks`
  std::uint64_t timed_calls = 0;     ///< calls with recorded times
  double time_s = 0;                 ///< total of all ranks in these calls
  double max_time_s = 0;             ///< maximum of one rank in one of these calls
  std::uint64_t arrival_calls = 0;   ///< calls with recorded late arrival
  double waited_s = 0;               ///< total time that ranks waited for the last rank to enter
  std::vector<Inconsistency> inconsistencies;
  NumberList cut_short;                   ///< see Profile
  std::uint64_t incomplete_calls = 0;     ///< see Profile
  std::vector<FailedCalls> failed_calls;  ///< see Profile
  std::optional<double> clock_error_s;    ///< see Profile
};

/// Distribution of bytes over the ranks that took part.
struct TrafficBalance {
  std::uint64_t ranks = 0;
  std::uint64_t total = 0;
  std::uint64_t max = 0;
  std::uint64_t min = 0;
  std::uint32_t max_rank = 0;
  std::uint32_t min_rank = 0;

  double mean() const { return ranks == 0 ? 0 : static_cast<double>(total) / static_cast<double>(ranks); }
  /// Returns the imbalance, max / mean - 1; 0 without bytes.
  double imbalance() const { return support::imbalance(static_cast<double>(max), mean()); }
};

/// Returns the distribution of a quantity, such as &RankSummary::bytes_sent, over the ranks.
TrafficBalance balance_of(const Summary& summary, std::uint64_t RankSummary::*bytes);

/// Returns the world ranks for which other ranks waited, in descending order of the wait time caused.
std::vector<std::uint32_t> late_ranks(const Summary& summary);

/// Summarises a profile; reads all counts and times once. Cost: O(numbers of the profile). Throws Error
/// (usage) if bins do not ascend.
Summary summarize(const Profile& profile, const SummaryOptions& options = {});

}  // namespace plimsoll::collectives
