#include <array>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/documents/collectives.hpp>

#include "documents/collectives/summary.hpp"
#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using collectives::Finding;
using collectives::MpiCalls;
using collectives::MpiSummary;
using collectives::TimeBalance;

template <>
inline constexpr std::array fields<Finding> = {
    field<&Finding::text>("text"),
    field<&Finding::command>("command", "shows more; `null` if nothing is to be done").or_null(),
    field<&Finding::share>("share", "share of the run that it concerns; `null` if unknown"),
};

template <>
inline constexpr std::array fields<TimeBalance> = {
    field<&TimeBalance::imbalance>("imbalance"), field<&TimeBalance::mean_s>("mean_s"),
    field<&TimeBalance::max_s>("max_s"),         field<&TimeBalance::max_rank>("max_rank"),
    field<&TimeBalance::min_s>("min_s"),         field<&TimeBalance::min_rank>("min_rank"),
};

namespace {

collectives::MpiPurpose purpose(const MpiSummary::Function& function) {
  return collectives::purpose_of(function.name);
}

/// The MPI calls of a run, and what follows from them.
struct MpiShare {
  const MpiCalls* calls = nullptr;
  const MpiSummary* summary = nullptr;
};

/// Times of a rank.
struct MpiRank {
  std::size_t rank = 0;
  const MpiCalls::Rank* calls = nullptr;
  const MpiSummary::Rank* times = nullptr;
};

std::vector<MpiRank> ranks(const MpiShare& share) {
  std::vector<MpiRank> ranks;
  for (std::size_t rank = 0; rank < share.calls->ranks.size(); ++rank)
    ranks.push_back({rank, &share.calls->ranks[rank], &share.summary->ranks[rank]});
  return ranks;
}

std::optional<MpiShare> mpi(const RunSummary& summary) {
  return summary.calls ? std::optional(MpiShare{&*summary.calls, &summary.mpi}) : std::nullopt;
}

}  // namespace

template <>
inline constexpr std::array fields<MpiSummary::Function> = {
    field<&MpiSummary::Function::name>("function"),
    field<purpose>("purpose", "`transfer`, `wait`, `collective`, `collective start`, `file`"),
    field<&MpiSummary::Function::calls>("calls"),
    field<&MpiSummary::Function::time, &TimeBalance::sum_s>("time_s"),
    field<&MpiSummary::Function::share>("share"),
    field<&MpiSummary::Function::ranks>("ranks", "number of ranks that called it"),
    field<&MpiSummary::Function::time, &TimeBalance::imbalance>("imbalance", "over these ranks"),
    field<&MpiSummary::Function::time, &TimeBalance::max_s>("max_time_s"),
    field<&MpiSummary::Function::time, &TimeBalance::max_rank>("slowest_rank"),
};

template <>
inline constexpr std::array fields<MpiRank> = {
    field<&MpiRank::rank>("rank"),
    field<&MpiRank::calls, &MpiCalls::Rank::host>("host"),
    field<&MpiRank::calls, &MpiCalls::Rank::wall_s>("wall_s"),
    field<&MpiRank::times, &MpiSummary::Rank::outside_s>(
        "outside_s", "time outside MPI; `null` if unknown because of several threads"),
    field<&MpiRank::calls, &MpiCalls::Rank::mpi_s>("mpi_s"),
    field<&MpiRank::times, &MpiSummary::Rank::waits_s>("waits_s",
                                                       "time in functions whose purpose is `wait`"),
    field<&MpiRank::times, &MpiSummary::Rank::waited_s>(
        "waited_s", "its part of `waited_s` of the run; `null` if unknown"),
};

template <>
inline constexpr std::array fields<MpiSummary::PointToPoint> = {
    field<&MpiSummary::PointToPoint::messages>("messages"),
    field<&MpiSummary::PointToPoint::bytes>("bytes"),
    field<&MpiSummary::PointToPoint::between_nodes_bytes>("between_nodes_bytes"),
};

template <>
inline constexpr std::array fields<MpiShare> = {
    field<&MpiShare::summary, &MpiSummary::wall_s>(
        "wall_s", "time from MPI_Init to MPI_Finalize, summed over all ranks"),
    field<&MpiShare::summary, &MpiSummary::longest_wall_s>(
        "longest_wall_s", "maximum time of a rank from MPI_Init to MPI_Finalize"),
    field<&MpiShare::summary, &MpiSummary::mpi_s>("mpi_s", "time in MPI, summed over all ranks"),
    field<&MpiShare::summary, &MpiSummary::mpi_share>("share", "share of MPI"),
    field<&MpiShare::summary, &MpiSummary::waited_s>(
        "waited_s", "upper limit of the time that ranks waited for other ranks"),
    field<&MpiShare::summary, &MpiSummary::waited_share>("waited_share", "share of `waited_s`"),
    field<&MpiShare::summary, &MpiSummary::uneven_calls_s>(
        "uneven_calls_s",
        "time that ranks waited in collectives beyond what their totals outside MPI explain; 0 if these are "
        "unknown"),
    field<&MpiShare::summary, &MpiSummary::outside>("outside_mpi",
                                                    "distribution of the time outside MPI over ranks"),
    field<&MpiShare::summary, &MpiSummary::functions>("functions", "longest time first"),
    field<ranks>("ranks", "times of the ranks"),
    field<&MpiShare::summary, &MpiSummary::point_to_point>("point_to_point",
                                                           "point-to-point messages and one-sided transfers"),
    field<&MpiShare::summary, &MpiSummary::nodes>("nodes", "number of hosts"),
};

template <>
inline constexpr std::array fields<RunSummary> = {
    merged<&RunSummary::collectives>(),
    field<&RunSummary::findings>(
        "findings",
        "at most three facts that cost the program time or bytes, or one entry that nothing does. Empty with "
        "`--lead` or `--operation`"),
    field<mpi>(
        "mpi",
        "the MPI calls of the whole program, or `null` if they were not recorded. Shares are fractions of "
        "`wall_s`. [Definitions](../how-to/"
        "analyse-collectives.md#find-the-cost-of-mpi-in-the-whole-program)"),
};

template <>
const Structure& structure<RunSummary>() {
  return structure_of<RunSummary>;
}

}  // namespace plimsoll::documents
