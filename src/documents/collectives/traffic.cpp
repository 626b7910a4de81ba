#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include <plimsoll/documents/collectives.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using collectives::HostTraffic;
using collectives::TrafficMatrix;
using collectives::TrafficSummary;
using collectives::TrafficView;

template <>
inline constexpr std::array fields<TrafficSummary::Extreme> = {
    field<&TrafficSummary::Extreme::rank>("rank"),
    field<&TrafficSummary::Extreme::bytes>("bytes"),
    field<&TrafficSummary::Extreme::over_mean>("over_mean", "`bytes` divided by the mean of all ranks")
        .or_null(),
};

namespace {

/// The pair of different ranks with the most bytes.
struct LargestPair {
  const TrafficSummary* summary = nullptr;
};

std::optional<LargestPair> largest_pair(const TrafficSummary& summary) {
  return summary.largest_bytes > 0 ? std::optional(LargestPair{&summary}) : std::nullopt;
}

std::size_t ranks_of_matrix(const TrafficView& view) {
  return view.traffic.bytes.size();
}

std::uint64_t placed_calls(const TrafficView& view) {
  return view.traffic.calls - view.traffic.unplaced_calls;
}

const char* unit_of_names(const TrafficView& view) {
  return view.by_host ? "host" : "rank";
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

TrafficSummary summary_of(const TrafficView& view) {
  return collectives::summarise(view.traffic.bytes);
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
    field<&TrafficSummary::total_bytes>("total_bytes", "bytes sent in total"),
    field<&TrafficSummary::self_bytes>("self_bytes",
                                       "bytes that ranks sent to themselves; 0 with `--no-self`, which also "
                                       "excludes them from all other keys"),
    field<largest_pair>("largest", "the pair of different ranks with the most bytes; `null` without bytes"),
    field<&TrafficSummary::sent>("sent", "the rank that sent the most bytes"),
    field<&TrafficSummary::received>("received", "the rank that received the most bytes"),
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
    field<ranks_of_matrix>("ranks", "number of ranks of MPI_COMM_WORLD"),
    field<&TrafficView::kind>("traffic", "`collectives`, `p2p` or `all`"),
    field<placed_calls>("calls", "number of calls of collectives that the matrix contains"),
    field<&TrafficView::traffic, &collectives::Traffic::point_to_point_messages>(
        "point_to_point_messages", "number of point-to-point messages that the matrix contains"),
    merged<summary_of>(),
    field<&TrafficView::traffic, &collectives::Traffic::unplaced_calls>(
        "unplaced_calls", "number of calls skipped because their ranks are unknown"),
    field<&TrafficView::traffic, &collectives::Traffic::unplaced_bytes>("unplaced_bytes",
                                                                        "bytes of these calls"),
    merged<&TrafficView::hosts>(),
    field<unit_of_names>("by", "`rank`, or `host` with `--by-host`"),
    field<&TrafficView::names>("names", "names of the hosts, or numbers of the ranks as strings"),
    field<pairs_with_bytes>("pairs",
                            "a list of `[sender, receiver, bytes]` with positions in `names`, from 0; pairs "
                            "without bytes are omitted"),
};

template <>
const Structure& structure<TrafficView>() {
  return structure_of<TrafficView>;
}

}  // namespace plimsoll::documents
