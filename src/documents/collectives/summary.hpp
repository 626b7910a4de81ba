#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/collectives/summary.hpp>

#include "documents/collectives/numbers.hpp"
#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using collectives::CallImbalance;
using collectives::CommunicatorSummary;
using collectives::FailedCalls;
using collectives::Inconsistency;
using collectives::Mismatch;
using collectives::Operation;
using collectives::OperationSummary;
using collectives::RankSummary;
using collectives::SideSummary;
using collectives::Spread;
using collectives::SpreadWithZeros;
using collectives::Summary;
using collectives::TrafficBalance;

template <>
inline constexpr std::array fields<SpreadWithZeros> = {
    field<&SpreadWithZeros::all, &Spread::values>("values", "number of values"),
    field<&SpreadWithZeros::zeros>("zeros"),
    field<&SpreadWithZeros::all, &Spread::sum>("sum"),
    field<&SpreadWithZeros::all, &Spread::min>("min"),
    field<&SpreadWithZeros::all, &Spread::max>("max"),
    field<&SpreadWithZeros::all, &Spread::mean>("mean"),
    field<&SpreadWithZeros::nonzero, &Spread::min>("nonzero_min"),
    field<&SpreadWithZeros::nonzero, &Spread::mean>("nonzero_mean"),
};

template <>
inline constexpr std::array fields<CallImbalance> = {
    field<&CallImbalance::calls>("calls", "number of calls that move bytes"),
    field<&CallImbalance::mean>("mean"),
    field<&CallImbalance::max>("max"),
    field<&CallImbalance::job>("job", "this key and the next three: the first call with the maximum"),
    field<&CallImbalance::lead>("lead"),
    field<&CallImbalance::operation, &Operation::name>("operation"),
    field<&CallImbalance::call>("call"),
};

/// Number of calls with this number of zero counts.
struct CallsByZeros {
  std::uint64_t zeros = 0;
  std::uint64_t calls = 0;
};

template <>
inline constexpr std::array fields<CallsByZeros> = {
    field<&CallsByZeros::zeros>("zeros"),
    field<&CallsByZeros::calls>("calls"),
};

/// Number of calls with a datatype of this size.
struct CallsByTypeSize {
  std::uint64_t bytes = 0;
  std::uint64_t calls = 0;
};

template <>
inline constexpr std::array fields<CallsByTypeSize> = {
    field<&CallsByTypeSize::bytes>("bytes"),
    field<&CallsByTypeSize::calls>("calls"),
};

/// Number of calls on communicators of this size.
struct CallsByRanks {
  std::uint32_t ranks = 0;
  std::uint64_t calls = 0;
};

template <>
inline constexpr std::array fields<CallsByRanks> = {
    field<&CallsByRanks::ranks>("ranks"),
    field<&CallsByRanks::calls>("calls"),
};

/// Messages in a range of sizes.
struct MessageBin {
  std::uint64_t min_bytes = 0;
  std::optional<std::uint64_t> below_bytes;
  std::uint64_t messages = 0;
};

template <>
inline constexpr std::array fields<MessageBin> = {
    field<&MessageBin::min_bytes>("min_bytes"),
    field<&MessageBin::below_bytes>("below_bytes", "`null` in the last"),
    field<&MessageBin::messages>("messages"),
};

template <>
inline constexpr std::array fields<TrafficBalance> = {
    field<&TrafficBalance::max_rank>("max_rank", "rank with the most bytes"),
    field<&TrafficBalance::min_rank>("min_rank", "rank with the fewest bytes"),
    field<&TrafficBalance::max>("max_rank_bytes", "bytes of `max_rank`"),
    field<&TrafficBalance::min>("min_rank_bytes", "bytes of `min_rank`"),
    field<&TrafficBalance::mean>("mean_rank_bytes", "mean of the ranks"),
};

/// The bytes of one direction, with what they mean in their summary.
struct Traffic {
  const SideSummary* side = nullptr;
  std::vector<MessageBin> histogram;
  std::optional<TrafficBalance> balance;  ///< empty if the ranks that took part are unknown

  std::optional<double> imbalance() const {
    return balance ? std::optional(balance->imbalance()) : std::nullopt;
  }
  const CallImbalance* call_imbalance() const {
    return side->call_imbalance.calls > 0 ? &side->call_imbalance : nullptr;
  }
};

template <>
inline constexpr std::array fields<Traffic> = {
    field<&Traffic::side, &SideSummary::bytes>("bytes", "number of bytes"),
    field<&Traffic::side, &SideSummary::messages>("messages", "number of messages"),
    field<&Traffic::imbalance>("imbalance",
                               "max/mean − 1 over the ranks that took part. If these ranks are unknown, "
                               "the value is `null` and the next five keys are absent"),
    merged<&Traffic::balance>(),
    field<&Traffic::call_imbalance>(
        "call_imbalance", "max/mean − 1 over the ranks in single calls; `null` if no call moves bytes")
        .or_null(),
    field<&Traffic::histogram>(
        "histogram", "number of messages per size class. Without `--bins`, classes are powers of two"),
    field<&Traffic::side, &SideSummary::message_bytes, &SpreadWithZeros::zeros>(
        "empty_messages", "number of zero-byte messages"),
    field<&Traffic::side, &SideSummary::small>("small_messages",
                                               "number of messages of up to `threshold_bytes`"),
    field<&Traffic::side, &SideSummary::large>("large_messages", "number of larger messages"),
    field<&Traffic::side, &SideSummary::message_count>("message_count",
                                                       "elements from one rank to one peer in one call"),
    field<&Traffic::side, &SideSummary::message_bytes>("message_bytes",
                                                       "bytes from one rank to one peer in one call"),
    field<&Traffic::side, &SideSummary::rank_count>(
        "rank_count", "elements of one rank in one call, summed over all peers"),
    field<&Traffic::side, &SideSummary::rank_bytes>("rank_bytes",
                                                    "bytes of one rank in one call, summed over all peers"),
    entries<CallsByZeros, &Traffic::side, &SideSummary::zero_counts>(
        "zero_counts", "number of calls per number of counts that are 0"),
    entries<CallsByTypeSize, &Traffic::side, &SideSummary::type_sizes>("type_sizes",
                                                                       "number of calls per datatype size"),
};

template <>
inline constexpr std::array fields<OperationSummary> = {
    field<&OperationSummary::operation, &Operation::name>("operation"),
    field<&OperationSummary::calls>("calls"),
    field<&OperationSummary::signatures>("signatures", "number of different count sets"),
    field<&OperationSummary::bytes_sent>("bytes_sent"),
    field<&OperationSummary::bytes_received>("bytes_received"),
};

template <>
inline constexpr std::array fields<CommunicatorSummary> = {
    field<&CommunicatorSummary::job>("job"),
    field<&CommunicatorSummary::lead>("lead"),
    field<&CommunicatorSummary::id>("id", "`null` if unknown"),
    field<&CommunicatorSummary::size>("ranks"),
    field<&CommunicatorSummary::members, ranges_of>(
        "world_ranks", "its ranks in MPI_COMM_WORLD, such as `\"1, 3\"`; `null` if unknown")
        .or_null(),
    field<&CommunicatorSummary::remote_size>("remote_ranks", "of an inter-communicator"),
    field<&CommunicatorSummary::calls>("calls"),
    field<&CommunicatorSummary::bytes_sent>("bytes_sent"),
};

/// A rank that took part, with what its summary contains.
struct ActiveRank {
  std::size_t rank = 0;
  const RankSummary* sums = nullptr;
  const Summary* summary = nullptr;

  bool has_counts() const { return summary->calls > 0; }
  bool has_times() const { return summary->timed_calls > 0; }
  bool has_arrivals() const { return summary->arrival_calls > 0; }
};

template <>
inline constexpr std::array fields<ActiveRank> = {
    field<&ActiveRank::rank>("rank", "rank in MPI_COMM_WORLD"),
    only_if<&ActiveRank::has_counts>(field<&ActiveRank::sums, &RankSummary::calls>(
        "calls", "number of calls; this key and the next two only if counts are known")),
    only_if<&ActiveRank::has_counts>(field<&ActiveRank::sums, &RankSummary::bytes_sent>("bytes_sent")),
    only_if<&ActiveRank::has_counts>(
        field<&ActiveRank::sums, &RankSummary::bytes_received>("bytes_received")),
    only_if<&ActiveRank::has_times>(field<&ActiveRank::sums, &RankSummary::timed_calls>(
        "timed_calls", "number of calls with times; this key and the next two only if times are known")),
    only_if<&ActiveRank::has_times>(field<&ActiveRank::sums, &RankSummary::time_s>("time_s")),
    only_if<&ActiveRank::has_times>(field<&ActiveRank::sums, &RankSummary::max_time_s>("max_time_s")),
    only_if<&ActiveRank::has_arrivals>(field<&ActiveRank::sums, &RankSummary::waited_s>(
        "waited_s", "time that the rank waited; this key and the next two only if late arrivals are known")),
    only_if<&ActiveRank::has_arrivals>(field<&ActiveRank::sums, &RankSummary::latest_in_calls>(
        "latest_in_calls", "number of calls that the rank entered last")),
    only_if<&ActiveRank::has_arrivals>(field<&ActiveRank::sums, &RankSummary::made_wait_s>(
        "made_wait_s", "time that other ranks waited in these calls")),
};

/// Time in calls.
struct TimeInCalls {
  const Summary* summary = nullptr;
};

template <>
inline constexpr std::array fields<TimeInCalls> = {
    field<&TimeInCalls::summary, &Summary::timed_calls>("calls"),
    field<&TimeInCalls::summary, &Summary::time_s>("time_s", "sum over all ranks"),
    field<&TimeInCalls::summary, &Summary::max_time_s>("max_time_s", "maximum of one rank in one call"),
};

/// Time that ranks waited.
struct Waiting {
  const Summary* summary = nullptr;
};

template <>
inline constexpr std::array fields<Waiting> = {
    field<&Waiting::summary, &Summary::arrival_calls>("calls"),
    field<&Waiting::summary, &Summary::waited_s>("waited_s",
                                                 "total time that ranks waited for the last rank to enter"),
    field<&Waiting::summary, collectives::late_ranks>(
        "late_ranks", "sorted by the wait time that they caused, highest first"),
};

template <>
inline constexpr std::array fields<Inconsistency> = {
    field<&Inconsistency::job>("job"),
    field<&Inconsistency::lead>("lead"),
    field<&Inconsistency::operation, &Operation::name>("operation"),
    field<&Inconsistency::first_call>("first_call"),
    field<&Inconsistency::calls>("calls"),
    field<&Inconsistency::pair, &Mismatch::sender>(
        "sender", "rank of the communicator; the first pair with a mismatch"),
    field<&Inconsistency::pair, &Mismatch::receiver>("receiver"),
    field<&Inconsistency::pair, &Mismatch::sent_bytes>("sent_bytes"),
    field<&Inconsistency::pair, &Mismatch::received_bytes>("received_bytes"),
};

template <>
inline constexpr std::array fields<FailedCalls> = {
    field<&FailedCalls::operation, &Operation::name>("operation"),
    field<&FailedCalls::calls>("calls",
                               "number of calls for which MPI returned an error on one or "
                               "more ranks; no other value includes them"),
    field<&FailedCalls::ranks, each_of>("ranks", "the ranks on which they failed"),
};

std::optional<Traffic> sent(const Summary& summary);
std::optional<Traffic> received(const Summary& summary);
std::vector<ActiveRank> active_ranks(const Summary& summary);
std::optional<TimeInCalls> time_in_calls(const Summary& summary);
std::optional<Waiting> waiting(const Summary& summary);
std::optional<bool> is_consistent(const Summary& summary);

template <>
inline constexpr std::array fields<Summary> = {
    field<&Summary::world_size>("world_size", "number of ranks; 0 if unknown"),
    field<&Summary::leads>("leads", "number of lead ranks"),
    field<&Summary::calls>("calls", "number of calls"),
    field<&Summary::options, &collectives::SummaryOptions::threshold_bytes>("threshold_bytes",
                                                                            "maximum size of small messages"),
    field<&Summary::operations>("operations"),
    field<&Summary::communicators>("communicators"),
    entries<CallsByRanks, &Summary::comm_sizes>("communicator_sizes",
                                                "number of calls per communicator size"),
    field<sent>("sent", "totals of the sent bytes; `null` if the profile contains no counts"),
    field<received>("received", "totals of the received bytes; `null` if the profile contains no counts"),
    field<active_ranks>("ranks", "the ranks that took part, in the order of MPI_COMM_WORLD"),
    field<&Summary::unplaced_calls>(
        "unplaced_calls", "number of calls whose ranks are unknown; excluded from all per-rank values"),
    field<time_in_calls>("time_in_calls", "`null` if times are unknown"),
    field<waiting>("waiting", "`null` if late arrivals are unknown"),
    field<&Summary::clock_error_s>(
        "clock_error_s", "maximum error when times of different ranks are compared; `null` if unknown"),
    field<is_consistent>("consistent",
                         "whether send and receive sizes match; `null` if the profile contains no counts"),
    field<&Summary::inconsistencies>("inconsistencies", "calls whose send and receive sizes differ"),
    field<&Summary::cut_short, each_of>("cut_short_ranks", "ranks with incomplete logs"),
    field<&Summary::incomplete_calls>(
        "incomplete_calls", "number of calls skipped because some of their ranks did not record them"),
    field<&Summary::failed_calls>("failed_calls"),
};

}  // namespace plimsoll::documents
