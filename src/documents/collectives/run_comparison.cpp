#include <array>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/documents/collectives.hpp>

#include "documents/collectives/summary.hpp"
#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using collectives::BeforeAfter;
using collectives::CallsOnCommunicator;
using collectives::Comparison;
using collectives::ContentComparison;
using collectives::ContentDifference;
using collectives::MpiComparison;
using collectives::MpiFunctionChange;
using collectives::MpiSummary;
using collectives::PatternChange;
using collectives::SignatureChange;
using collectives::UnmatchedCalls;

namespace {

using Calls = BeforeAfter<std::uint64_t>;
using Times = BeforeAfter<double>;

std::optional<std::uint64_t> first_call_before(const SignatureChange& change) {
  return change.calls.before > 0 ? std::optional(change.first_call.before) : std::nullopt;
}

std::optional<std::uint64_t> first_call_after(const SignatureChange& change) {
  return change.calls.after > 0 ? std::optional(change.first_call.after) : std::nullopt;
}

std::vector<std::string> sentences_of(const collectives::Shape& shape) {
  return sentences(shape);
}

std::size_t number_of_ranks(const MpiSummary& summary) {
  return summary.ranks.size();
}

const CallsOnCommunicator& place_of(const ContentDifference& difference) {
  return difference;
}

const CallsOnCommunicator& place_of_unmatched(const UnmatchedCalls& calls) {
  return calls;
}

}  // namespace

template <>
inline constexpr std::array fields<PatternChange> = {
    field<&PatternChange::lead>("lead"),
    field<&PatternChange::operation, &Operation::name>("operation"),
    field<&PatternChange::shape, sentences_of>("sentences"),
    field<&PatternChange::calls, &Calls::before>("calls_before"),
    field<&PatternChange::calls, &Calls::after>("calls_after"),
    field<&PatternChange::bytes, &Calls::before>("bytes_before"),
    field<&PatternChange::bytes, &Calls::after>("bytes_after"),
};

template <>
inline constexpr std::array fields<SignatureChange> = {
    field<&SignatureChange::lead>("lead"),
    field<&SignatureChange::operation, &Operation::name>("operation"),
    field<&SignatureChange::comm_size>("communicator_ranks"),
    field<&SignatureChange::bytes>("bytes_per_call"),
    field<&SignatureChange::calls, &Calls::before>("calls_before"),
    field<&SignatureChange::calls, &Calls::after>("calls_after"),
    field<first_call_before>("first_call_before", "`null` without calls"),
    field<first_call_after>("first_call_after", "`null` without calls"),
};

template <>
inline constexpr std::array fields<Comparison> = {
    field<&Comparison::verdict>("verdict",
                                "`same counts`; `same counts, but in other calls`; `same counts, but not as "
                                "often`; `different counts`"),
    field<&Comparison::summary, &BeforeAfter<Summary>::before>(
        "before", "as printed by `collectives summary`, without `findings` and `mpi`"),
    field<&Comparison::summary, &BeforeAfter<Summary>::after>("after", "in the same way"),
    field<&Comparison::patterns>("patterns"),
    field<&Comparison::signatures>("signatures"),
};

template <>
inline constexpr std::array fields<CallsOnCommunicator> = {
    field<&CallsOnCommunicator::lead>("lead"),
    field<&CallsOnCommunicator::communicator>("communicator"),
    field<&CallsOnCommunicator::operation, &Operation::name>("operation"),
};

template <>
inline constexpr std::array fields<ContentDifference> = {
    merged<place_of>(),
    field<&ContentDifference::call>("call"),
    field<&ContentDifference::sent, ranges_of>(
        "sent", "the ranks of MPI_COMM_WORLD that sent other data, such as `\"0, 2-3\"`"),
    field<&ContentDifference::received, ranges_of>("received", "the ranks that received other data"),
    field<&ContentDifference::frames>("frames", "the backtrace of the call"),
};

template <>
inline constexpr std::array fields<UnmatchedCalls::Part> = {
    field<&UnmatchedCalls::Part::comm_size>("communicator_ranks", "their number"),
    field<&UnmatchedCalls::Part::members, ranges_of>("members"),
    field<&UnmatchedCalls::Part::calls, ranges_of>("calls"),
};

template <>
inline constexpr std::array fields<UnmatchedCalls> = {
    merged<place_of_unmatched>(),
    field<&UnmatchedCalls::runs, &BeforeAfter<UnmatchedCalls::Part>::before>("before"),
    field<&UnmatchedCalls::runs, &BeforeAfter<UnmatchedCalls::Part>::after>("after"),
};

template <>
inline constexpr std::array fields<ContentComparison> = {
    field<&ContentComparison::equal>("equal", "whether `differences` and `unmatched` are empty"),
    field<&ContentComparison::calls>("calls", "number of calls that were compared"),
    field<&ContentComparison::differing_calls>("differing_calls", "number of these calls with a difference"),
    field<&ContentComparison::sent>("sent_hashes",
                                    "number of compared hashes of sent data: at most one per call and rank"),
    field<&ContentComparison::received>("received_hashes", "number of compared hashes of received data"),
    field<&ContentComparison::differences>(
        "differences",
        "the first difference of each operation and communicator, in the order of the times at which the "
        "calls began if these are known, else of lead, operation and communicator"),
    field<&ContentComparison::unmatched>("unmatched",
                                         "calls that only one profile contains, or that other ranks made"),
};

template <>
inline constexpr std::array fields<MpiSummary> = {
    field<number_of_ranks>("ranks", "their number"),
    field<&MpiSummary::wall_s>("wall_s"),
    field<&MpiSummary::longest_wall_s>("longest_wall_s"),
    field<&MpiSummary::mpi_s>("mpi_s"),
    field<&MpiSummary::mpi_share>("share"),
    field<&MpiSummary::waited_s>("waited_s"),
    field<&MpiSummary::outside, &collectives::TimeBalance::imbalance>("imbalance_outside_mpi"),
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
    field<&MpiComparison::summary, &BeforeAfter<MpiSummary>::before>("before"),
    field<&MpiComparison::summary, &BeforeAfter<MpiSummary>::after>("after"),
    field<&MpiComparison::functions>("functions", "in descending order of the difference of the times"),
};

template <>
inline constexpr std::array fields<RunComparison> = {
    merged<&RunComparison::counts>(),
    field<&RunComparison::data>("data",
                                "comparison of the exchanged data; `null` unless both profiles contain "
                                "hashes (`--record content-hash`)"),
    field<&RunComparison::mpi>(
        "mpi", "comparison of the MPI calls; `null` unless both profiles contain them (`--record mpi`)"),
};

template <>
const Structure& structure<RunComparison>() {
  return structure_of<RunComparison>;
}

}  // namespace plimsoll::documents
