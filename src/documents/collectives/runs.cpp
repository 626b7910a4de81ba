#include <cstdint>

#include <plimsoll/documents/collectives.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace collectives;

namespace {

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

std::vector<MessageBin> histogram_of(const SideSummary& side, const Summary& summary) {
  const std::vector<std::uint64_t>& bounds = summary.options.bins;
  std::vector<MessageBin> bins;
  for (std::size_t k = 0; k < side.histogram.size(); ++k)
    bins.push_back({.min_bytes = k == 0 ? 0 : bounds[k - 1],
                    .below_bytes = k < bounds.size() ? std::optional(bounds[k]) : std::nullopt,
                    .messages = side.histogram[k]});
  return bins;
}

/// Returns the balance of the ranks; nothing if the ranks that took part are unknown.
std::optional<TrafficBalance> balance_of_side(const SideSummary& side, const Summary& summary) {
  const bool is_sent = &side == &summary.sent;
  const TrafficBalance balance =
      balance_of(summary, is_sent ? &RankSummary::bytes_sent : &RankSummary::bytes_received);
  return balance.ranks > 0 ? std::optional(balance) : std::nullopt;
}

std::vector<const RankSummary*> active_ranks(const Summary& summary) {
  std::vector<const RankSummary*> ranks;
  for (const RankSummary& rank : summary.ranks)
    if (rank.is_active()) ranks.push_back(&rank);
  return ranks;
}

/// Lists numbers one by one.
std::vector<std::uint64_t> each_of(const NumberList& list) {
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

constexpr auto if_counted = only_if<[](const RankSummary&, const Summary& all) { return all.calls; }>;
constexpr auto if_timed = only_if<[](const RankSummary&, const Summary& all) { return all.timed_calls; }>;
constexpr auto if_late = only_if<[](const RankSummary&, const Summary& all) { return all.arrival_calls; }>;

}  // namespace

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

template <>
inline constexpr std::array fields<Finding> = {
    member<&Finding::text>(),
    member<&Finding::command>("shows more; `null` if nothing is to be done").or_null(),
    member<&Finding::share>("share of the run that it concerns; `null` if unknown"),
};

template <>
inline constexpr std::array fields<TimeBalance> = {
    members<&TimeBalance::imbalance, &TimeBalance::mean_s, &TimeBalance::max_s, &TimeBalance::max_rank,
            &TimeBalance::min_s, &TimeBalance::min_rank>(),
};

namespace {

/// The MPI calls of a run, and what follows from them.
struct MpiShare {
  const MpiCalls* calls = nullptr;
  const MpiSummary* summary = nullptr;
};

std::ptrdiff_t number_of_rank(const MpiSummary::Rank& rank, const MpiShare& share) {
  return &rank - share.summary->ranks.data();
}

const MpiCalls::Rank& calls_of_rank(const MpiSummary::Rank& rank, const MpiShare& share) {
  return share.calls->ranks[static_cast<std::size_t>(number_of_rank(rank, share))];
}

std::optional<std::string> text_of(const NumberList& list) {
  return list.empty() ? std::nullopt : std::optional(list.to_string());
}

using Calls = BeforeAfter<std::uint64_t>;
using Times = BeforeAfter<double>;

}  // namespace

template <>
inline constexpr std::array fields<MpiSummary::Function> = {
    field<&MpiSummary::Function::name>("function"),
    field<&MpiSummary::Function::name, purpose_of>(
        "purpose", "`transfer`, `wait`, `collective`, `collective start`, `file`"),
    member<&MpiSummary::Function::calls>(),
    field<&MpiSummary::Function::time, &TimeBalance::sum_s>("time_s"),
    member<&MpiSummary::Function::share>(),
    member<&MpiSummary::Function::ranks>("number of ranks that called it"),
    member<&MpiSummary::Function::time, &TimeBalance::imbalance>("over these ranks"),
    field<&MpiSummary::Function::time, &TimeBalance::max_s>("max_time_s"),
    field<&MpiSummary::Function::time, &TimeBalance::max_rank>("slowest_rank"),
};

template <>
inline constexpr std::array fields<Efficiencies> = {
    member<&Efficiencies::parallel>("mean useful time (outside MPI) of the ranks / longest wall time"),
    member<&Efficiencies::load_balance>("mean / maximum of the useful times"),
    member<&Efficiencies::between_nodes>("part of the load balance, `null` if hosts are unknown"),
    member<&Efficiencies::within_nodes>("the other part of the load balance"),
    member<&Efficiencies::communication>("maximum useful time / longest wall time"),
    member<&Efficiencies::serialisation>("part of `communication`, `null` if it was not recorded"),
    member<&Efficiencies::transfer>("the other part of `communication`"),
};

template <>
inline constexpr std::array fields<Oversubscription> = {
    members<&Oversubscription::host, &Oversubscription::ranks>(),
    member<&Oversubscription::threads>("that call MPI"),
    member<&Oversubscription::cores>(),
};

template <>
inline constexpr std::array fields<ProcessorUse> = {
    member<&ProcessorUse::off_s>("sum of `off_processor_s` over all threads that call MPI"),
    member<&ProcessorUse::outside_s>("time outside MPI of the threads for which that is known"),
    member<&ProcessorUse::cause>("cause of most of `off_s`: `oversubscribed`, `interrupted` (ready to run, "
                                 "but without a core), `waiting` "
                                 "(such as for files), `unknown`"),
    member<&ProcessorUse::oversubscription>("ranks of a host that may use fewer cores than they have threads "
                                            "that call MPI; `null` if none or unknown"),
};

template <>
inline constexpr std::array fields<MpiSummary::Rank> = {
    field<number_of_rank>("rank"),
    member<calls_of_rank, &MpiCalls::Rank::host>(),
    member<calls_of_rank, &MpiCalls::Rank::wall_s>(),
    member<calls_of_rank, &MpiCalls::Rank::threads>(
        "number of threads that call MPI; the next four times are means over them"),
    member<&MpiSummary::Rank::outside_s>("time outside MPI; `null` if unknown"),
    member<&MpiSummary::Rank::mpi_s>("time in MPI"),
    member<&MpiSummary::Rank::waited_s>("its part of `waited_s` of the run; `null` if unknown"),
    member<&MpiSummary::Rank::off_processor_s>("time outside MPI during which the thread was certainly not "
                                               "on a processor: time outside MPI minus CPU "
                                               "time; `null` if unknown"),
    member<calls_of_rank, &MpiCalls::Rank::user_s>(
        "CPU time in user mode; as the next keys, of the process, and "
        "`null` if unknown"),
    member<calls_of_rank, &MpiCalls::Rank::system_s>("CPU time in the operating system"),
    member<calls_of_rank, &MpiCalls::Rank::voluntary_switches>(),
    member<calls_of_rank, &MpiCalls::Rank::involuntary_switches>("other threads got the core"),
    member<calls_of_rank, &MpiCalls::Rank::core_wait_s>(
        "time that the thread that called MPI_Init was ready to run, but had no core"),
    field<calls_of_rank, &MpiCalls::Rank::cores, text_of>(
        "cores", "cores that the process may use, such as `\"0-3\"`"),
    member<calls_of_rank, &MpiCalls::Rank::peak_memory_bytes>("largest resident memory"),
};

template <>
inline constexpr std::array fields<MpiSummary::PointToPoint> = {
    members<&MpiSummary::PointToPoint::messages, &MpiSummary::PointToPoint::bytes,
            &MpiSummary::PointToPoint::between_nodes_bytes>(),
};

template <>
inline constexpr std::array fields<MpiShare> = {
    member<&MpiShare::summary, &MpiSummary::wall_s>(
        "time from MPI_Init to MPI_Finalize, summed over all ranks"),
    member<&MpiShare::summary, &MpiSummary::longest_wall_s>(
        "maximum time of a rank from MPI_Init to MPI_Finalize"),
    member<&MpiShare::summary, &MpiSummary::thread_s>(
        "the same, summed over all threads that call MPI: differs from `wall_s` if several threads of a rank "
        "do"),
    member<&MpiShare::summary, &MpiSummary::efficiencies>(
        "parallel efficiency of the run and its factors, from 0 to 1; `null` if the time outside MPI of a "
        "rank is "
        "unknown"),
    member<&MpiShare::summary, &MpiSummary::mpi_s>("time in MPI, summed over all threads"),
    field<&MpiShare::summary, &MpiSummary::mpi_share>("share", "share of MPI"),
    member<&MpiShare::summary, &MpiSummary::waited_s>("part of `mpi_s`: time that ranks waited for the ranks "
                                                      "on which they depend, as measured; `null` if it was "
                                                      "not measured"),
    member<&MpiShare::summary, &MpiSummary::unknown_waits_s>(
        "part of `mpi_s`: time in calls that may have waited, an unknown part of which is waiting"),
    member<&MpiShare::summary, &MpiSummary::functions_with_unknown_waits>("the functions of these calls"),
    member<&MpiShare::summary, &MpiSummary::processors>("time outside MPI without a processor"),
    field<&MpiShare::summary, &MpiSummary::outside>("outside_mpi",
                                                    "distribution of the time outside MPI over ranks"),
    member<&MpiShare::summary, &MpiSummary::functions>("longest time first"),
    member<&MpiShare::summary, &MpiSummary::ranks>("times of the ranks"),
    member<&MpiShare::summary, &MpiSummary::point_to_point>(
        "point-to-point messages and one-sided transfers"),
    member<&MpiShare::summary, &MpiSummary::nodes>("number of hosts"),
};

template <>
inline constexpr std::array fields<RunSummary> = {
    merged<&RunSummary::collectives>(),
    member<&RunSummary::findings>(
        "at most three facts that cost the program time or bytes, or one entry that nothing does. Empty with "
        "`--lead` or `--operation`"),
    field<[](const RunSummary& run) {
      return run.calls ? std::optional(MpiShare{&*run.calls, &run.mpi}) : std::nullopt;
    }>("mpi",
       "the MPI calls of the whole program, or `null` if they were not recorded. Shares are fractions of "
       "`thread_s`. "
       "[Definitions](../how-to/analyse-collectives.md#find-the-cost-of-mpi-in-the-whole-program)"),
};

template <>
inline constexpr std::array fields<PatternChange> = {
    member<&PatternChange::lead>(),
    field<&PatternChange::operation, &Operation::name>("operation"),
    field<&PatternChange::shape, sentences>("sentences"),
    field<&PatternChange::calls, &Calls::before>("calls_before"),
    field<&PatternChange::calls, &Calls::after>("calls_after"),
    field<&PatternChange::bytes, &Calls::before>("bytes_before"),
    field<&PatternChange::bytes, &Calls::after>("bytes_after"),
};

template <>
inline constexpr std::array fields<SignatureChange> = {
    member<&SignatureChange::lead>(),
    field<&SignatureChange::operation, &Operation::name>("operation"),
    field<&SignatureChange::comm_size>("communicator_ranks"),
    field<&SignatureChange::bytes>("bytes_per_call"),
    field<&SignatureChange::calls, &Calls::before>("calls_before"),
    field<&SignatureChange::calls, &Calls::after>("calls_after"),
    field<[](const SignatureChange& change) {
      return change.calls.before == 0 ? std::nullopt : std::optional(change.first_call.before);
    }>("first_call_before", "`null` without calls"),
    field<[](const SignatureChange& change) {
      return change.calls.after == 0 ? std::nullopt : std::optional(change.first_call.after);
    }>("first_call_after", "`null` without calls"),
};

template <>
inline constexpr std::array fields<Comparison> = {
    member<&Comparison::verdict>("`same counts`; `same counts, but in other calls`; `same counts, but not as "
                                 "often`; `different counts`"),
    member<&Comparison::summary, &BeforeAfter<Summary>::before>(
        "as printed by `collectives summary`, without `findings` and `mpi`"),
    member<&Comparison::summary, &BeforeAfter<Summary>::after>("in the same way"),
    members<&Comparison::patterns, &Comparison::signatures>(),
};

template <>
inline constexpr std::array fields<CallsOnCommunicator> = {
    members<&CallsOnCommunicator::lead, &CallsOnCommunicator::communicator>(),
    field<&CallsOnCommunicator::operation, &Operation::name>("operation"),
};

template <>
inline constexpr std::array fields<ContentDifference> = {
    merged<[](const ContentDifference& calls) -> const CallsOnCommunicator& { return calls; }>(),
    member<&ContentDifference::call>(),
    member<&ContentDifference::sent>(
        "the ranks of MPI_COMM_WORLD that sent other data, such as `\"0, 2-3\"`"),
    member<&ContentDifference::received>("the ranks that received other data"),
    member<&ContentDifference::frames>("the backtrace of the call"),
};

template <>
inline constexpr std::array fields<UnmatchedCalls::Part> = {
    field<&UnmatchedCalls::Part::comm_size>("communicator_ranks", "their number"),
    members<&UnmatchedCalls::Part::members, &UnmatchedCalls::Part::calls>(),
};

template <>
inline constexpr std::array fields<UnmatchedCalls> = {
    merged<[](const UnmatchedCalls& calls) -> const CallsOnCommunicator& { return calls; }>(),
    member<&UnmatchedCalls::runs, &BeforeAfter<UnmatchedCalls::Part>::before>(),
    member<&UnmatchedCalls::runs, &BeforeAfter<UnmatchedCalls::Part>::after>(),
};

template <>
inline constexpr std::array fields<ContentComparison> = {
    member<&ContentComparison::equal>("whether `differences` and `unmatched` are empty"),
    member<&ContentComparison::calls>("number of calls that were compared"),
    member<&ContentComparison::differing_calls>("number of these calls with a difference"),
    field<&ContentComparison::sent>("sent_hashes",
                                    "number of compared hashes of sent data: at most one per call and rank"),
    field<&ContentComparison::received>("received_hashes", "number of compared hashes of received data"),
    member<&ContentComparison::differences>(
        "the first difference of each operation and communicator, in the order of the times at which the "
        "calls began if these are known, else of lead, operation and communicator"),
    member<&ContentComparison::unmatched>("calls that only one profile contains, or that other ranks made"),
};

template <>
inline constexpr std::array fields<MpiSummary> = {
    field<[](const MpiSummary& summary) { return summary.ranks.size(); }>("ranks", "their number"),
    members<&MpiSummary::wall_s, &MpiSummary::longest_wall_s, &MpiSummary::mpi_s>(),
    field<&MpiSummary::mpi_share>("share"),
    member<&MpiSummary::waited_s>("`null` if it was not measured"),
    field<&MpiSummary::outside, &TimeBalance::imbalance>("imbalance_outside_mpi"),
    member<&MpiSummary::efficiencies>("`null` if unknown"),
};

template <>
inline constexpr std::array fields<MpiFunctionChange> = {
    field<&MpiFunctionChange::name>("function"),
    field<&MpiFunctionChange::calls, &Calls::before>("calls_before"),
    field<&MpiFunctionChange::calls, &Calls::after>("calls_after"),
    field<&MpiFunctionChange::time_s, &Times::before>("time_before_s"),
    field<&MpiFunctionChange::time_s, &Times::after>("time_after_s"),
};

template <>
inline constexpr std::array fields<MpiComparison> = {
    member<&MpiComparison::summary, &BeforeAfter<MpiSummary>::before>(),
    member<&MpiComparison::summary, &BeforeAfter<MpiSummary>::after>(),
    member<&MpiComparison::functions>("in descending order of the difference of the times"),
};

template <>
inline constexpr std::array fields<ScaledRun> = {
    field<&ScaledRun::name>("path", "as on the command line"),
    member<&ScaledRun::ranks>("their number"),
    member<&ScaledRun::wall_s>("longest wall time of a rank"),
    member<&ScaledRun::speedup>("`wall_s` of the first run / of this one"),
    member<&ScaledRun::useful_s>("time outside MPI of all threads that call MPI; `null` if unknown"),
    member<&ScaledRun::global>("`computation` x `parallel`; `null` if unknown"),
    member<&ScaledRun::computation>("`useful_s` of the first run / of this one; `null` if unknown"),
    member<&ScaledRun::efficiencies>("as in `collectives summary`"),
};

template <>
inline constexpr std::array fields<ScalingList> = {
    member<&ScalingList::runs>("in ascending order of their ranks"),
};

template <>
inline constexpr std::array fields<RunComparison> = {
    merged<&RunComparison::counts>(),
    member<&RunComparison::data>("comparison of the exchanged data; `null` unless both profiles contain "
                                 "hashes (`--record content-hash`)"),
    member<&RunComparison::mpi>(
        "comparison of the MPI calls; `null` unless both profiles contain them (`--record mpi`)"),
};

template const documents::Structure& structure<RunSummary>();
template const documents::Structure& structure<RunComparison>();
template const documents::Structure& structure<ScalingList>();

}  // namespace plimsoll::documents
