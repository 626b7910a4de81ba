#include <fmt/format.h>

#include <numeric>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/phase_edges.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

RankTraffic rank_traffic(const LDStats& stats, std::span<const std::int32_t> placement,
                         const std::function<bool(std::size_t)>& counts) {
  if (placement.size() != stats.obj_data.size())
    throw support::usage_error(
        fmt::format("invalid placement: {} entries for {} objects", placement.size(), stats.obj_data.size()));
  const auto rank_of = [&](CommEnd end) {
    return end.is_object() ? static_cast<std::uint32_t>(placement[end.index()]) : end.index();
  };
  RankTraffic traffic(stats.procs.size());
  for (std::size_t edge = 0; edge < stats.comm_data.size(); ++edge) {
    const LDCommData& comm = stats.comm_data[edge];
    if (!counts || counts(edge))
      traffic.add(rank_of(comm.sender), rank_of(comm.receiver), comm.bytes, comm.messages);
  }
  return traffic;
}

RecordedTraffic recorded_traffic(const lbdata::Dataset& dataset, std::int64_t phase) {
  const std::vector<const lbdata::PhaseRecord*> records = phase_records(dataset, phase);
  const ObjectNumbers numbers(dataset.entities, records);
  RecordedTraffic result{.traffic = RankTraffic(records.size())};
  for_each_edge(records, phase, numbers, [&](const PhaseEdge& edge) {
    ++result.n_edges;
    if (edge.from && edge.to)
      result.traffic.add(numbers.rank_of(*edge.from), numbers.rank_of(*edge.to), edge.bytes(),
                         edge.messages());
  });
  return result;
}

void RankTraffic::add(std::uint32_t from, std::uint32_t to, double bytes, std::int64_t messages) {
  if (from == to) return;
  sent_bytes[from] += bytes;
  received_bytes[to] += bytes;
  sent_messages[from] += messages;
  received_messages[to] += messages;
}

double RankTraffic::off_rank_bytes() const {
  return std::accumulate(sent_bytes.begin(), sent_bytes.end(), 0.0);
}

std::int64_t RankTraffic::off_rank_messages() const {
  return std::accumulate(sent_messages.begin(), sent_messages.end(), std::int64_t{0});
}

}  // namespace plimsoll::balance
