// Describes the summary of collectives, which `collectives summary` and `collectives compare` write.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/documents/collectives.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace collectives;

/// The summary of the collectives of a run, in the documents of `collectives summary` and `collectives
/// compare`.

// Numbers of calls with this number of zero counts, with a datatype of this size, and on communicators of
// this number of ranks.
struct CallsByZeros {
  std::uint64_t zeros, calls;
};
struct CallsByTypeSize {
  std::uint64_t bytes, calls;
};
struct CallsByRanks {
  std::uint64_t ranks, calls;
};

/// Messages in a range of sizes.
struct MessageBin {
  std::uint64_t min_bytes = 0;
  std::optional<std::uint64_t> below_bytes;
  std::uint64_t messages = 0;
};

inline std::vector<MessageBin> histogram_of(const SideSummary& side, const Summary& summary) {
  const std::vector<std::uint64_t>& bounds = summary.options.bins;
  std::vector<MessageBin> bins;
  for (std::size_t k = 0; k < side.histogram.size(); ++k)
    bins.push_back({.min_bytes = k == 0 ? 0 : bounds[k - 1],
                    .below_bytes = k < bounds.size() ? std::optional(bounds[k]) : std::nullopt,
                    .messages = side.histogram[k]});
  return bins;
}

/// Returns the balance of the ranks; nothing if the ranks that took part are unknown.
inline std::optional<TrafficBalance> balance_of_side(const SideSummary& side, const Summary& summary) {
  const bool is_sent = &side == &summary.sent;
  const TrafficBalance balance =
      balance_of(summary, is_sent ? &RankSummary::bytes_sent : &RankSummary::bytes_received);
  return balance.ranks > 0 ? std::optional(balance) : std::nullopt;
}

inline std::vector<const RankSummary*> active_ranks(const Summary& summary) {
  std::vector<const RankSummary*> ranks;
  for (const RankSummary& rank : summary.ranks)
    if (rank.is_active()) ranks.push_back(&rank);
  return ranks;
}

/// Lists numbers one by one.
inline std::vector<std::uint64_t> each_of(const NumberList& list) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(list.size());
  list.for_each([&](std::uint64_t number) { numbers.push_back(number); });
  return numbers;
}

// Parts of a summary.
struct TimeInCalls {
  const Summary* summary = nullptr;
};
struct Waiting {
  const Summary* summary = nullptr;
};

inline constexpr auto if_counted = only_if<[](const RankSummary&, const Summary& all) { return all.calls; }>;
inline constexpr auto if_timed =
    only_if<[](const RankSummary&, const Summary& all) { return all.timed_calls; }>;
inline constexpr auto if_late =
    only_if<[](const RankSummary&, const Summary& all) { return all.arrival_calls; }>;

template <>
inline constexpr std::array fields<SpreadWithZeros> = {
    member<&SpreadWithZeros::all, &Spread::values>("number of values"),
    member<&SpreadWithZeros::zeros>(),
    member<&SpreadWithZeros::all, &Spread::sum>(),
    member<&SpreadWithZeros::all, &Spread::min>(),
    member<&SpreadWithZeros::all, &Spread::max>(),
    member<&SpreadWithZeros::all, &Spread::mean>(),
    field<&SpreadWithZeros::nonzero, &Spread::min>("nonzero_min"),
    field<&SpreadWithZeros::nonzero, &Spread::mean>("nonzero_mean"),
};

template <>
inline constexpr std::array fields<CallImbalance> = {
    member<&CallImbalance::calls>("number of calls that move bytes"),
    members<&CallImbalance::mean, &CallImbalance::max>(),
    member<&CallImbalance::job>("this key and the next three: the first call with the maximum"),
    member<&CallImbalance::lead>(),
    field<&CallImbalance::operation, &Operation::name>("operation"),
    member<&CallImbalance::call>(),
};

template <>
inline constexpr std::array fields<CallsByZeros> = {members<&CallsByZeros::zeros, &CallsByZeros::calls>()};

template <>
inline constexpr std::array fields<CallsByTypeSize> = {
    members<&CallsByTypeSize::bytes, &CallsByTypeSize::calls>(),
};

template <>
inline constexpr std::array fields<CallsByRanks> = {members<&CallsByRanks::ranks, &CallsByRanks::calls>()};

template <>
inline constexpr std::array fields<MessageBin> = {
    member<&MessageBin::min_bytes>(),
    member<&MessageBin::below_bytes>("`null` in the last"),
    member<&MessageBin::messages>(),
};

template <>
inline constexpr std::array fields<TrafficBalance> = {
    member<&TrafficBalance::max_rank>("rank with the most bytes"),
    member<&TrafficBalance::min_rank>("rank with the fewest bytes"),
    field<&TrafficBalance::max>("max_rank_bytes", "bytes of `max_rank`"),
    field<&TrafficBalance::min>("min_rank_bytes", "bytes of `min_rank`"),
    field<&TrafficBalance::mean>("mean_rank_bytes", "mean of the ranks"),
};

template <>
inline constexpr std::array fields<SideSummary> = {
    member<&SideSummary::bytes>("number of bytes"),
    member<&SideSummary::messages>("number of messages"),
    member<balance_of_side, &TrafficBalance::imbalance>(
        "max/mean − 1 over the ranks that took part. If these ranks are unknown, the value is `null` and the "
        "next five keys are absent"),
    merged<balance_of_side>(),
    field<[](const SideSummary& side) {
      return side.call_imbalance.calls == 0 ? nullptr : &side.call_imbalance;
    }>("call_imbalance", "max/mean − 1 over the ranks in single calls; `null` if no call moves bytes")
        .or_null(),
    field<histogram_of>("histogram",
                        "number of messages per size class. Without `--bins`, classes are powers of two"),
    field<&SideSummary::message_bytes, &SpreadWithZeros::zeros>("empty_messages",
                                                                "number of zero-byte messages"),
    field<&SideSummary::small>("small_messages", "number of messages of up to `threshold_bytes`"),
    field<&SideSummary::large>("large_messages", "number of larger messages"),
    member<&SideSummary::message_count>("elements from one rank to one peer in one call"),
    member<&SideSummary::message_bytes>("bytes from one rank to one peer in one call"),
    member<&SideSummary::rank_count>("elements of one rank in one call, summed over all peers"),
    member<&SideSummary::rank_bytes>("bytes of one rank in one call, summed over all peers"),
    entries<CallsByZeros, &SideSummary::zero_counts>("zero_counts",
                                                     "number of calls per number of counts that are 0"),
    entries<CallsByTypeSize, &SideSummary::type_sizes>("type_sizes", "number of calls per datatype size"),
};

template <>
inline constexpr std::array fields<OperationSummary> = {
    field<&OperationSummary::operation, &Operation::name>("operation"),
    member<&OperationSummary::calls>(),
    member<&OperationSummary::signatures>("number of different count sets"),
    members<&OperationSummary::bytes_sent, &OperationSummary::bytes_received>(),
};

template <>
inline constexpr std::array fields<CommunicatorSummary> = {
    members<&CommunicatorSummary::job, &CommunicatorSummary::lead>(),
    member<&CommunicatorSummary::id>("`null` if unknown"),
    field<&CommunicatorSummary::size>("ranks"),
    field<&CommunicatorSummary::members>("world_ranks",
                                         "its ranks in MPI_COMM_WORLD, such as `\"1, 3\"`; `null` if unknown")
        .or_null(),
    field<&CommunicatorSummary::remote_size>("remote_ranks", "of an inter-communicator"),
    members<&CommunicatorSummary::calls, &CommunicatorSummary::bytes_sent>(),
};

template <>
inline constexpr std::array fields<RankSummary> = {
    field<[](const RankSummary& rank, const Summary& summary) { return &rank - summary.ranks.data(); }>(
        "rank", "rank in MPI_COMM_WORLD"),
    if_counted(
        member<&RankSummary::calls>("number of calls; this key and the next two only if counts are known")),
    if_counted(members<&RankSummary::bytes_sent, &RankSummary::bytes_received>()),
    if_timed(member<&RankSummary::timed_calls>(
        "number of calls with times; this key and the next two only if times are known")),
    if_timed(members<&RankSummary::time_s, &RankSummary::max_time_s>()),
    if_late(member<&RankSummary::waited_s>(
        "time that the rank waited; this key and the next two only if late arrivals are known")),
    if_late(member<&RankSummary::latest_in_calls>("number of calls that the rank entered last")),
    if_late(member<&RankSummary::made_wait_s>("time that other ranks waited in these calls")),
};

template <>
inline constexpr std::array fields<TimeInCalls> = {
    field<&TimeInCalls::summary, &Summary::timed_calls>("calls"),
    member<&TimeInCalls::summary, &Summary::time_s>("sum over all ranks"),
    member<&TimeInCalls::summary, &Summary::max_time_s>("maximum of one rank in one call"),
};

template <>
inline constexpr std::array fields<Waiting> = {
    field<&Waiting::summary, &Summary::arrival_calls>("calls"),
    member<&Waiting::summary, &Summary::waited_s>("total time that ranks waited for the last rank to enter"),
    field<&Waiting::summary, late_ranks>("late_ranks",
                                         "sorted by the wait time that they caused, highest first"),
};

template <>
inline constexpr std::array fields<Mismatch> = {
    member<&Mismatch::sender>("rank of the communicator; the first pair with a mismatch"),
    members<&Mismatch::receiver, &Mismatch::sent_bytes, &Mismatch::received_bytes>(),
};

template <>
inline constexpr std::array fields<Inconsistency> = {
    members<&Inconsistency::job, &Inconsistency::lead>(),
    field<&Inconsistency::operation, &Operation::name>("operation"),
    members<&Inconsistency::first_call, &Inconsistency::calls>(),
    merged<&Inconsistency::pair>(),
};

template <>
inline constexpr std::array fields<FailedCalls> = {
    field<&FailedCalls::operation, &Operation::name>("operation"),
    member<&FailedCalls::calls>("number of calls for which MPI returned an error on one or "
                                "more ranks; no other value includes them"),
    field<&FailedCalls::ranks, each_of>("ranks", "the ranks on which they failed"),
};

template <>
inline constexpr std::array fields<Summary> = {
    member<&Summary::world_size>("number of ranks; 0 if unknown"),
    member<&Summary::leads>("number of lead ranks"),
    member<&Summary::calls>("number of calls"),
    member<&Summary::options, &SummaryOptions::threshold_bytes>("maximum size of small messages"),
    members<&Summary::operations, &Summary::communicators>(),
    entries<CallsByRanks, &Summary::comm_sizes>("communicator_sizes",
                                                "number of calls per communicator size"),
    field<[](const Summary& summary) { return summary.calls == 0 ? nullptr : &summary.sent; }>(
        "sent", "totals of the sent bytes; `null` if the profile contains no counts")
        .or_null(),
    field<[](const Summary& summary) { return summary.calls == 0 ? nullptr : &summary.received; }>(
        "received", "totals of the received bytes; `null` if the profile contains no counts")
        .or_null(),
    field<active_ranks>("ranks", "the ranks that took part, in the order of MPI_COMM_WORLD"),
    member<&Summary::unplaced_calls>(
        "number of calls whose ranks are unknown; excluded from all per-rank values"),
    field<[](const Summary& summary) {
      return summary.timed_calls == 0 ? std::nullopt : std::optional(TimeInCalls{&summary});
    }>("time_in_calls", "`null` if times are unknown"),
    field<[](const Summary& summary) {
      return summary.arrival_calls == 0 ? std::nullopt : std::optional(Waiting{&summary});
    }>("waiting", "`null` if late arrivals are unknown"),
    member<&Summary::clock_error_s>(
        "maximum error when times of different ranks are compared; `null` if unknown"),
    field<[](const Summary& summary) {
      return summary.calls == 0 ? std::nullopt : std::optional(summary.inconsistencies.empty());
    }>("consistent", "whether send and receive sizes match; `null` if the profile contains no counts"),
    member<&Summary::inconsistencies>("calls whose send and receive sizes differ"),
    field<&Summary::cut_short, each_of>("cut_short_ranks", "ranks with incomplete logs"),
    member<&Summary::incomplete_calls>(
        "number of calls skipped because some of their ranks did not record them"),
    member<&Summary::failed_calls>(),
};

}  // namespace plimsoll::documents
