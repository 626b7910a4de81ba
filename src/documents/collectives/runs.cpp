#include <cstdint>
#include <optional>

#include <plimsoll/documents/collectives.hpp>

#include "documents/collectives/mpi_calls.hpp"
#include "documents/collectives/summary.hpp"
#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace collectives;

template <>
inline constexpr std::array fields<Finding> = {
    member<&Finding::text>(),
    member<&Finding::command>("shows more; `null` if nothing is to be done").or_null(),
    member<&Finding::share>("share of the run that it concerns; `null` if unknown"),
};

namespace {

using Calls = BeforeAfter<std::uint64_t>;
using Times = BeforeAfter<double>;

}  // namespace

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
inline constexpr std::array fields<RunComparison> = {
    merged<&RunComparison::counts>(),
    member<&RunComparison::data>("comparison of the exchanged data; `null` unless both profiles contain "
                                 "hashes (`--record content-hash`)"),
    member<&RunComparison::mpi>(
        "comparison of the MPI calls; `null` unless both profiles contain them (`--record mpi`)"),
};

template const documents::Structure& structure<RunSummary>();
template const documents::Structure& structure<RunComparison>();

}  // namespace plimsoll::documents
