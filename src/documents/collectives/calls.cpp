#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/documents/collectives.hpp>

#include "documents/collectives/numbers.hpp"
#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using collectives::Backtrace;
using collectives::CallDetail;
using collectives::CallRun;
using collectives::CallSite;
using collectives::Communicator;
using collectives::Lead;
using collectives::MpiCalls;
using collectives::Operation;
using collectives::Side;
using collectives::Signature;

namespace {

/// What runs of equal calls and single calls have in common.
struct CallValues {
  const CallRun* run = nullptr;
};

CallValues values_of_run(const CallRun& run) {
  return {&run};
}

std::optional<std::uint32_t> communicator_of(const CallRun& run) {
  return run.communicator != nullptr ? std::optional(run.communicator->id) : std::nullopt;
}

/// Ranks with the same counts.
struct CountRow {
  std::string ranks;
  std::vector<std::uint64_t> counts;
};

std::vector<CountRow> rows_of(const Side& side) {
  std::vector<CountRow> rows;
  for (std::size_t k = 0; k < side.matrix.rows(); ++k) {
    const auto counts = side.matrix.row(k);
    rows.push_back({side.matrix.ranks[k].to_string(), {counts.begin(), counts.end()}});
  }
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

std::optional<double> known(const std::vector<double>& values, std::size_t rank) {
  return rank < values.size() ? std::optional(values[rank]) : std::nullopt;
}

std::vector<RankOfCall> ranks_of_call(const CallDetail& detail) {
  std::vector<RankOfCall> ranks;
  const Communicator* communicator = detail.call.communicator;
  for (std::uint32_t rank = 0; rank < detail.call.signature->comm_size; ++rank) {
    RankOfCall& values = ranks.emplace_back();
    values.rank = rank;
    if (rank < detail.members.size()) values.world_rank = detail.members[rank];
    if (communicator != nullptr && rank < communicator->hosts.size()) values.host = communicator->hosts[rank];
    values.begin_s = known(detail.begin_s, rank);
    values.time_s = known(detail.times_s, rank);
    values.waited_s = known(detail.late_arrival_s, rank);
  }
  return ranks;
}

const Side* send_displacements(const CallDetail& detail) {
  return detail.displacements != nullptr ? &detail.displacements->send : nullptr;
}

const Side* receive_displacements(const CallDetail& detail) {
  return detail.displacements != nullptr ? &detail.displacements->recv : nullptr;
}

}  // namespace

template <>
inline constexpr std::array fields<CallValues> = {
    field<&CallValues::run, &CallRun::lead, &Lead::job>("job"),
    field<&CallValues::run, &CallRun::lead, &Lead::rank>("lead"),
    field<&CallValues::run, &CallRun::signature, &Signature::operation, &Operation::name>("operation"),
    field<&CallValues::run, communicator_of>("communicator", "its ID, or `null`"),
    field<&CallValues::run, &CallRun::signature, &Signature::comm_size>("communicator_ranks"),
    field<&CallValues::run, &CallRun::pattern>("pattern"),
    field<&CallValues::run, &CallRun::bytes_per_call>("bytes_per_call"),
    field<&CallValues::run, &CallRun::imbalance_sent>(
        "imbalance_sent", "max/mean − 1 of the bytes that each rank sends in one call"),
    field<&CallValues::run, &CallRun::imbalance_received>(
        "imbalance_received", "max/mean − 1 of the bytes that each rank receives in one call"),
};

template <>
inline constexpr std::array fields<CallRun> = {
    merged<values_of_run>(),
    field<&CallRun::first>("first_call"),
    field<&CallRun::last>("last_call"),
    field<&CallRun::calls>("calls", "number of consecutive equal calls"),
    field<&CallRun::time_s>("time_s",
                            "time on the slowest rank of each call, summed; only if times were recorded")
        .or_absent(),
    field<&CallRun::waited_s>("waited_s",
                              "wait time, summed over all ranks; only if late arrivals were recorded")
        .or_absent(),
};

template <>
inline constexpr std::array fields<CallList> = {
    field<&CallList::calls>("calls"),
};

template <>
inline constexpr std::array fields<CountRow> = {
    field<&CountRow::ranks>("ranks", "such as `\"0, 2-3\"`"),
    field<&CountRow::counts>("counts", "one per peer, or one for all peers"),
};

template <>
inline constexpr std::array fields<Side> = {
    field<&Side::type_size>("type_size"),
    field<&Side::type_sizes>("type_sizes", "one per rank, if they differ"),
    field<rows_of>("rows"),
};

template <>
inline constexpr std::array fields<RankOfCall> = {
    field<&RankOfCall::rank>("rank"),
    field<&RankOfCall::world_rank>("world_rank", "this key and the next ones only if known").or_absent(),
    field<&RankOfCall::host>("host").or_absent(),
    field<&RankOfCall::begin_s>("begin_s").or_absent(),
    field<&RankOfCall::time_s>("time_s").or_absent(),
    field<&RankOfCall::waited_s>("waited_s").or_absent(),
};

template <>
inline constexpr std::array fields<Backtrace> = {
    field<&Backtrace::program>("program"),
    field<&Backtrace::frames>("frames"),
};

template <>
inline constexpr std::array fields<CallDetail> = {
    merged<&CallDetail::call, values_of_run>(),
    field<&CallDetail::call, &CallRun::first>("call", "ID of the call"),
    field<&CallDetail::call, &CallRun::time_s>("time_s", "time on the slowest rank, if known").or_absent(),
    field<&CallDetail::call, &CallRun::waited_s>("waited_s", "wait time of all ranks, if known").or_absent(),
    field<ranks_of_call>("ranks"),
    field<&CallDetail::call, &CallRun::signature, &Signature::send>("sent"),
    field<&CallDetail::call, &CallRun::signature, &Signature::recv>("received"),
    field<send_displacements>("send_displacements", "only if recorded").or_absent(),
    field<receive_displacements>("receive_displacements", "only if recorded").or_absent(),
    field<&CallDetail::backtraces>("backtraces"),
};

template <>
inline constexpr std::array fields<CallSite> = {
    field<&CallSite::function>("function", "name of the MPI function"),
    field<&CallSite::site, &MpiCalls::Site::location>(
        "location", "place of the call as in the [file](mpi-calls-file.md)"),
    field<&CallSite::site, &MpiCalls::Site::calls>("calls", "number of calls on all ranks"),
    field<&CallSite::site, &MpiCalls::Site::failed_calls>("failed_calls",
                                                          "number of these calls that failed"),
    field<&CallSite::site, &MpiCalls::Site::sent_bytes>("sent_bytes", "sum over all ranks"),
    field<&CallSite::site, &MpiCalls::Site::received_bytes>("received_bytes", "sum over all ranks"),
    field<&CallSite::site, &MpiCalls::Site::time_s>("time_s", "time in the calls, summed over all ranks"),
    field<&CallSite::share>("share", "share of `time_s` in the run"),
    field<&CallSite::waited_s>(
        "waited_s", "upper limit of the time that ranks waited for other ranks; `null` if unknown"),
    field<&CallSite::site, &MpiCalls::Site::ranks>("ranks", "number of ranks that made the call"),
    field<&CallSite::imbalance>("imbalance", "max/mean − 1 of their times"),
    field<&CallSite::site, &MpiCalls::Site::slowest_rank>("slowest_rank", "rank with the maximum time"),
    field<&CallSite::site, &MpiCalls::Site::max_time_s>("max_time_s", "its time"),
    field<&CallSite::site, &MpiCalls::Site::fastest_rank>("fastest_rank", "rank with the minimum time"),
    field<&CallSite::site, &MpiCalls::Site::min_time_s>("min_time_s", "its time"),
    field<&CallSite::site, &MpiCalls::Site::longest_call_s>("longest_call_s", "time of the longest call"),
};

template <>
inline constexpr std::array fields<SiteList> = {
    field<&SiteList::sites>("sites", "in the order of `--sort`"),
};

template <>
const Structure& structure<CallList>() {
  return structure_of<CallList>;
}

template <>
const Structure& structure<CallDetail>() {
  return structure_of<CallDetail>;
}

template <>
const Structure& structure<SiteList>() {
  return structure_of<SiteList>;
}

}  // namespace plimsoll::documents
