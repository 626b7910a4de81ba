#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/phase_columns.hpp"
#include "balance/database/phase_edges.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr auto send_recv = static_cast<std::uint8_t>(lbdata::CommCategory::SendRecv) - 1;

}  // namespace

bool is_traffic(const LDStats& stats, std::size_t edge) {
  return (stats.comm_categories.empty() || stats.comm_categories[edge] == send_recv) &&
         stats.comm_data[edge].sender.is_object() && stats.comm_data[edge].receiver.is_object();
}

TrafficCost recorded_traffic_cost(const lbdata::Dataset& dataset, std::int64_t phase,
                                  const WorkCoefficients& coefficients) {
  const std::vector<const lbdata::PhaseRecord*> records = phase_records(dataset, phase);
  TrafficCost cost(records.size());
  if (!coefficients.weigh_traffic()) return cost;
  std::vector<std::int32_t> nodes;
  for (std::size_t rank = 0; rank < records.size(); ++rank) nodes.push_back(node_of_rank(dataset, rank));
  const ObjectNumbers numbers(dataset.entities, records);
  for_each_edge(records, phase, numbers, [&](const PhaseEdge& edge) {
    const bool counts = edge.edges.category[edge.position] == send_recv && edge.from &&
                        edge.from->is_object() && edge.to && edge.to->is_object();
    if (!counts) return;
    const std::uint32_t from = numbers.rank_of(*edge.from);
    const std::uint32_t to = numbers.rank_of(*edge.to);
    if (from != to) cost.add(from, to, edge.bytes() * coefficients.of_byte(nodes[from], nodes[to]));
  });
  return cost;
}

TrafficCost WorkModel::traffic_cost(std::span<const std::int32_t> placement) const {
  TrafficCost cost(stats_.procs.size());
  if (!coefficients_.weigh_traffic()) return cost;
  for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge) {
    if (!is_traffic(stats_, edge)) continue;
    const LDCommData& data = stats_.comm_data[edge];
    const auto from = static_cast<std::size_t>(placement[data.sender.index()]);
    const auto to = static_cast<std::size_t>(placement[data.receiver.index()]);
    if (from != to)
      cost.add(from, to, data.bytes * coefficients_.of_byte(stats_.procs[from], stats_.procs[to]));
  }
  return cost;
}

void WorkModel::add_memory(std::span<const std::int32_t> placement, WorkSummary& summary) const {
  const MemoryUse use(stats_, placement, limits_.count_serialized);
  for (std::int32_t rank = 0; rank < stats_.count(); ++rank) {
    summary.work[static_cast<std::size_t>(rank)] += coefficients_.delta * use.homing_bytes(rank);
    summary.memory_bytes.push_back(use.of_rank(rank));
    summary.node_memory_bytes.push_back(use.of_node(rank));
  }
  summary.within_memory = limits_.memory_excess(use, stats_.count()) == 0;
}

WorkSummary WorkModel::evaluate(std::span<const std::int32_t> placement) const {
  std::vector<double> times = finish_times(stats_, placement);  // checks the placement
  return summarise(placement, std::move(times), traffic_cost(placement));
}

WorkSummary WorkModel::evaluate(std::span<const std::int32_t> placement, const TrafficCost& traffic) const {
  return summarise(placement, finish_times(stats_, placement), traffic);
}

WorkSummary WorkModel::summarise(std::span<const std::int32_t> placement, std::vector<double> times,
                                 const TrafficCost& traffic) const {
  WorkSummary summary;
  summary.work = std::move(times);
  for (std::size_t rank = 0; rank < summary.work.size(); ++rank)
    summary.work[rank] = coefficients_.alpha * stats_.procs[rank].rank_alpha * summary.work[rank] +
                         coefficients_.gamma + std::max(traffic.sent[rank], traffic.received[rank]);
  if (!stats_.memory.empty()) add_memory(placement, summary);
  summary.sum = std::accumulate(summary.work.begin(), summary.work.end(), 0.0);
  if (!std::isfinite(summary.sum))
    throw support::bad_input("the work of all ranks exceeds the range of floating-point numbers", {},
                             "use smaller coefficients of the work model");
  if (!summary.work.empty()) summary.max = *std::ranges::max_element(summary.work);
  summary.imbalance = imbalance(summary.work);
  return summary;
}

}  // namespace plimsoll::balance
