#include <cstdint>

#include <plimsoll/documents/collectives.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace collectives;

namespace {

/// What runs of equal calls and single calls have in common.
struct CallValues : CallRun {};

CallValues values_of(const CallRun& run) {
  return {run};
}

/// Ranks with the same counts.
struct CountRow {
  const NumberList* ranks = nullptr;
  std::span<const std::int64_t> counts;
};

std::vector<CountRow> rows_of(const Side& side) {
  std::vector<CountRow> rows;
  for (std::size_t k = 0; k < side.matrix.rows(); ++k)
    rows.push_back({&side.matrix.ranks[k], side.matrix.row(k)});
  return rows;
}

/// What a call recorded of a rank.
struct RankOfCall {
  std::uint32_t rank = 0;
  std::optional<std::uint32_t> world_rank;
  std::string host;
  std::optional<double> begin_s;
  std::optional<double> time_s;
  std::optional<double> waited_s;
};

template <class Value>
std::optional<Value> known(const std::vector<Value>& values, std::size_t rank) {
  return rank < values.size() ? std::optional(values[rank]) : std::nullopt;
}

std::vector<RankOfCall> ranks_of_call(const CallDetail& detail) {
  std::vector<RankOfCall> ranks;
  const Communicator* communicator = detail.call.communicator;
  for (std::uint32_t rank = 0; rank < detail.call.signature->comm_size; ++rank)
    ranks.push_back({.rank = rank,
                     .world_rank = known(detail.members, rank),
                     .host = communicator == nullptr ? "" : known(communicator->hosts, rank).value_or(""),
                     .begin_s = known(detail.begin_s, rank),
                     .time_s = known(detail.times_s, rank),
                     .waited_s = known(detail.late_arrival_s, rank)});
  return ranks;
}

}  // namespace

template <>
inline constexpr std::array fields<CallValues> = {
    member<&CallRun::lead, &Lead::job>(),
    field<&CallRun::lead, &Lead::rank>("lead"),
    field<&CallRun::signature, &Signature::operation, &Operation::name>("operation"),
    field<&CallRun::communicator, &Communicator::id>("communicator", "its ID, or `null`").or_null(),
    field<&CallRun::signature, &Signature::comm_size>("communicator_ranks"),
    members<&CallRun::pattern, &CallRun::bytes_per_call>(),
    member<&CallRun::imbalance_sent>("max/mean − 1 of the bytes that each rank sends in one call"),
    member<&CallRun::imbalance_received>("max/mean − 1 of the bytes that each rank receives in one call"),
};

template <>
inline constexpr std::array fields<CallRun> = {
    merged<values_of>(),
    field<&CallRun::first>("first_call"),
    field<&CallRun::last>("last_call"),
    member<&CallRun::calls>("number of consecutive equal calls"),
    member<&CallRun::time_s>("time on the slowest rank of each call, summed; only if times were recorded")
        .or_absent(),
    member<&CallRun::waited_s>("wait time, summed over all ranks; only if late arrivals were recorded")
        .or_absent(),
};

template <>
inline constexpr std::array fields<CallList> = {member<&CallList::calls>()};

template <>
inline constexpr std::array fields<CountRow> = {
    member<&CountRow::ranks>("such as `\"0, 2-3\"`"),
    member<&CountRow::counts>("one per peer, or one for all peers"),
};

template <>
inline constexpr std::array fields<Side> = {
    member<&Side::type_size>(),
    member<&Side::type_sizes>("one per rank, if they differ"),
    field<rows_of>("rows"),
};

template <>
inline constexpr std::array fields<RankOfCall> = {
    member<&RankOfCall::rank>(),
    member<&RankOfCall::world_rank>("this key and the next ones only if known").or_absent(),
    member<&RankOfCall::host>().or_absent(),
    member<&RankOfCall::begin_s>().or_absent(),
    member<&RankOfCall::time_s>().or_absent(),
    member<&RankOfCall::waited_s>().or_absent(),
};

template <>
inline constexpr std::array fields<Backtrace> = {members<&Backtrace::program, &Backtrace::frames>()};

template <>
inline constexpr std::array fields<CallDetail> = {
    merged<&CallDetail::call, values_of>(),
    field<&CallDetail::call, &CallRun::first>("call", "ID of the call"),
    member<&CallDetail::call, &CallRun::time_s>("time on the slowest rank, if known").or_absent(),
    member<&CallDetail::call, &CallRun::waited_s>("wait time of all ranks, if known").or_absent(),
    field<ranks_of_call>("ranks"),
    field<&CallDetail::call, &CallRun::signature, &Signature::send>("sent"),
    field<&CallDetail::call, &CallRun::signature, &Signature::recv>("received"),
    field<&CallDetail::displacements, &Signature::send>("send_displacements", "only if recorded").or_absent(),
    field<&CallDetail::displacements, &Signature::recv>("receive_displacements", "only if recorded")
        .or_absent(),
    member<&CallDetail::backtraces>(),
};

template <>
inline constexpr std::array fields<MpiCalls::Stack> = {
    member<&MpiCalls::Stack::locations>(
        "places of these calls, from the inside out: the function of the site was called at the first"),
    member<&MpiCalls::Stack::calls>(),
    member<&MpiCalls::Stack::time_s>(),
    member<&MpiCalls::Stack::sent_bytes>(),
    member<&MpiCalls::Stack::received_bytes>(),
    member<&MpiCalls::Stack::waited_s>("`null`, as the bytes, if unknown"),
};

template <>
inline constexpr std::array fields<CallSite> = {
    member<&CallSite::function>("name of the MPI function"),
    member<&CallSite::site, &MpiCalls::Site::location>(
        "place of the call as in the [file](mpi-calls-file.md)"),
    member<&CallSite::site, &MpiCalls::Site::calls>("number of calls on all ranks"),
    member<&CallSite::site, &MpiCalls::Site::failed_calls>("number of these calls that failed"),
    member<&CallSite::site, &MpiCalls::Site::sent_bytes>("sum over all ranks"),
    member<&CallSite::site, &MpiCalls::Site::received_bytes>("sum over all ranks"),
    member<&CallSite::site, &MpiCalls::Site::time_s>("time in the calls, summed over all ranks"),
    member<&CallSite::share>(
        "share of `time_s` in the run, in relation to `thread_s` of `collectives summary`"),
    member<&CallSite::waited_s>("time that ranks waited for the ranks on which they depend, as measured; 0 "
                                "if the function cannot wait, "
                                "`null` if it was not measured"),
    member<&CallSite::site, &MpiCalls::Site::ranks>("number of ranks that made the call"),
    member<&CallSite::imbalance>("max/mean − 1 of their times"),
    member<&CallSite::site, &MpiCalls::Site::slowest_rank>("rank with the maximum time"),
    member<&CallSite::site, &MpiCalls::Site::max_time_s>("its time"),
    member<&CallSite::site, &MpiCalls::Site::fastest_rank>("rank with the minimum time"),
    member<&CallSite::site, &MpiCalls::Site::min_time_s>("its time"),
    member<&CallSite::site, &MpiCalls::Site::longest_call_s>("time of the longest call"),
    member<&CallSite::site, &MpiCalls::Site::callers>("calls of other functions that led to the call, in "
                                                      "descending order of time; those of all other calls "
                                                      "are unknown"),
};

template <>
inline constexpr std::array fields<SiteList> = {member<&SiteList::sites>("in the order of `--sort`")};

namespace {

/// This number of ranks has this number of peers each.
struct PeerCount {
  std::uint64_t peers = 0;
  std::uint64_t ranks = 0;
};

/// A part of a repeated cycle.
struct CyclePart {
  std::size_t pattern = 0;
  std::uint64_t calls = 0;
};

std::vector<std::string> operation_names(const std::vector<Operation>& operations) {
  std::vector<std::string> names;
  for (const Operation& operation : operations) names.push_back(operation.name());
  return names;
}

}  // namespace

std::vector<std::string> classes_of(const Pattern& pattern, std::optional<double> factor) {
  std::vector<std::string> names;
  if (factor) {
    for (const PatternClass one : {PatternClass::one_to_n, PatternClass::n_to_one, PatternClass::n_to_n})
      if (is_of_class(pattern.shape, one, {.factor = *factor})) names.emplace_back(to_string(one));
    return names;
  }
  for (const auto& [structure, amount] : pattern.structures)
    if (const char* name = to_string(structure.kind); names.empty() || names.back() != name)
      names.emplace_back(name);
  return names;
}

template <>
inline constexpr std::array fields<Degree> = {members<&Degree::min, &Degree::max>()};

template <>
inline constexpr std::array fields<collectives::Structure> = {
    field<&collectives::Structure::kind>(
        "class",
        "`empty`, `local`, `pairwise`, `shift`, `gather`, `scatter`, `dense`, `transpose`, `halo` or "
        "`irregular`"),
    member<&collectives::Structure::senders>("number of ranks that send to other ranks"),
    member<&collectives::Structure::receivers>("number of ranks that receive from other ranks"),
    member<&collectives::Structure::sends_to>("number of other ranks to which a sender sends"),
    member<&collectives::Structure::receives_from>("number of other ranks from which a receiver receives"),
    member<&collectives::Structure::symmetric>(
        "whether each rank sends to exactly the ranks from which it receives"),
};

template <>
inline constexpr std::array fields<StructureTotal> = {
    merged<&StructureTotal::structure>(),
    member<&StructureTotal::amount, &CallAmount::calls>("number of calls"),
    member<&StructureTotal::amount, &CallAmount::bytes>("bytes sent in them"),
    field<&StructureTotal::operations, operation_names>("operations", "names of the operations"),
    member<&StructureTotal::leads>("lead ranks such as `\"0, 4-5\"`"),
};

template <>
inline constexpr std::array fields<PeerCount> = {members<&PeerCount::ranks, &PeerCount::peers>()};

template <>
inline constexpr std::array fields<Shape> = {
    entries<PeerCount, &Shape::send>("sent", "this number of ranks sends to this number of peers each"),
    entries<PeerCount, &Shape::recv>("received",
                                     "this number of ranks receives from this number of peers each"),
};

template <>
inline constexpr std::array fields<Pattern> = {
    field<[](const Pattern& pattern, const LeadPatterns& lead) { return &pattern - lead.patterns.data(); }>(
        "pattern", "its number"),
    field<&Pattern::calls, &NumberList::size>("calls", "number of calls"),
    field<&Pattern::calls>("call_ids", "such as `\"0, 2-3\"`"),
    member<&Pattern::bytes>("bytes sent in these calls"),
    member<&Pattern::shape, &Shape::empty>("whether no rank sends or receives data"),
    field<[](const Pattern& pattern, const PatternList& list) { return classes_of(pattern, list.factor); }>(
        "classes", "one or more of the classes above; with `--factor`, any of `1-to-n`, `n-to-1`, `n-to-n`"),
    merged<&Pattern::shape>(),
};

template <>
inline constexpr std::array fields<CyclePart> = {members<&CyclePart::pattern, &CyclePart::calls>()};

template <>
inline constexpr std::array fields<RepeatedCycle> = {
    members<&RepeatedCycle::first_call, &RepeatedCycle::last_call>(),
    member<&RepeatedCycle::repeats>("number of consecutive repetitions of the cycle"),
    entries<CyclePart, &RepeatedCycle::cycle>("cycle"),
};

template <>
inline constexpr std::array fields<LeadPatterns> = {
    member<&LeadPatterns::job>("job ID"),
    member<&LeadPatterns::lead>("lead rank"),
    field<&LeadPatterns::operation, &Operation::name>("operation"),
    member<&LeadPatterns::calls>("number of calls"),
    member<&LeadPatterns::patterns>("sorted by first call"),
    field<[](const LeadPatterns& lead, const PatternList& list) {
      return heaviest(lead, list.order, list.heavy);
    }>("heavy", "the numbers of the heaviest patterns, selected by `--heavy` and `--by`"),
    member<&LeadPatterns::timeline>("sequence of the patterns"),
    member<&LeadPatterns::sum>("ranks summed over all calls"),
};

template <>
inline constexpr std::array fields<PatternList> = {
    member<&PatternList::factor>("value of `--factor`; `null` without it"),
    field<&PatternList::patterns, total_structures>(
        "structures",
        "most calls first; [analyse-collectives.md](../how-to/analyse-collectives.md) defines the classes"),
    field<&PatternList::patterns>("leads", "the patterns of each lead rank and operation"),
    member<&PatternList::files>("the files written"),
};

template <>
inline constexpr std::array fields<TrafficSummary::Extreme> = {
    members<&TrafficSummary::Extreme::rank, &TrafficSummary::Extreme::bytes>(),
    member<&TrafficSummary::Extreme::over_mean>("`bytes` divided by the mean of all ranks").or_null(),
};

namespace {

/// The pair of different ranks with the most bytes.
struct LargestPair {
  const TrafficSummary* summary = nullptr;
};

std::optional<LargestPair> largest_pair(const TrafficSummary& summary) {
  return summary.largest_bytes > 0 ? std::optional(LargestPair{&summary}) : std::nullopt;
}

using BytesOfPair = std::tuple<std::uint32_t, std::uint32_t, double>;

std::vector<BytesOfPair> pairs_with_bytes(const TrafficView& view) {
  const TrafficMatrix& matrix = view.matrix();
  std::vector<BytesOfPair> pairs;
  for (std::uint32_t from = 0; from < matrix.size(); ++from)
    for (std::uint32_t to = 0; to < matrix.size(); ++to)
      if (matrix(from, to) > 0) pairs.emplace_back(from, to, matrix(from, to));
  return pairs;
}

}  // namespace

template <>
inline constexpr std::array fields<LargestPair> = {
    field<&LargestPair::summary, &TrafficSummary::largest_from>("from"),
    field<&LargestPair::summary, &TrafficSummary::largest_to>("to"),
    field<&LargestPair::summary, &TrafficSummary::largest_bytes>("bytes"),
};

template <>
inline constexpr std::array fields<TrafficSummary> = {
    member<&TrafficSummary::total_bytes>("bytes sent in total"),
    member<&TrafficSummary::self_bytes>("bytes that ranks sent to themselves; 0 with `--no-self`, which also "
                                        "excludes them from all other keys"),
    field<largest_pair>("largest", "the pair of different ranks with the most bytes; `null` without bytes"),
    member<&TrafficSummary::sent>("the rank that sent the most bytes"),
    member<&TrafficSummary::received>("the rank that received the most bytes"),
};

template <>
inline constexpr std::array fields<HostTraffic> = {
    field<&HostTraffic::within_bytes>("within_nodes_bytes",
                                      "bytes within nodes; present only if the hosts of all ranks are known"),
    field<&HostTraffic::between_bytes>("between_nodes_bytes",
                                       "bytes between nodes; present in the same case"),
};

template <>
inline constexpr std::array fields<TrafficView> = {
    field<&TrafficView::traffic, &Traffic::bytes, &TrafficMatrix::size>("ranks",
                                                                        "number of ranks of MPI_COMM_WORLD"),
    field<&TrafficView::kind>("traffic", "`collectives`, `p2p` or `all`"),
    field<&TrafficView::traffic,
          [](const Traffic& traffic) { return traffic.calls - traffic.unplaced_calls; }>(
        "calls", "number of calls of collectives that the matrix contains"),
    member<&TrafficView::traffic, &Traffic::point_to_point_messages>(
        "number of point-to-point messages that the matrix contains"),
    merged<&TrafficView::traffic, &Traffic::bytes, summarise>(),
    member<&TrafficView::traffic, &Traffic::unplaced_calls>(
        "number of calls skipped because their ranks are unknown"),
    member<&TrafficView::traffic, &Traffic::unplaced_bytes>("bytes of these calls"),
    merged<&TrafficView::hosts>(),
    field<[](const TrafficView& view) { return view.by_host ? "host" : "rank"; }>(
        "by", "`rank`, or `host` with `--by-host`"),
    member<&TrafficView::names>("names of the hosts, or numbers of the ranks as strings"),
    field<pairs_with_bytes>("pairs",
                            "a list of `[sender, receiver, bytes]` with positions in `names`, from 0; pairs "
                            "without bytes are omitted"),
};

template const documents::Structure& structure<CallList>();
template const documents::Structure& structure<CallDetail>();
template const documents::Structure& structure<SiteList>();
template const documents::Structure& structure<PatternList>();
template const documents::Structure& structure<TrafficView>();

}  // namespace plimsoll::documents
