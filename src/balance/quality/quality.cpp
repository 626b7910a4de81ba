#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/support/contract.hpp>

#include "balance/database/phase_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

RankTraffic rank_traffic(const LDStats& stats, std::span<const std::int32_t> placement) {
  if (placement.size() != stats.obj_data.size())
    throw support::usage_error(
        fmt::format("invalid placement: {} entries for {} objects", placement.size(), stats.obj_data.size()));
  const auto rank_of = [&](CommEnd end) {
    return end.is_object() ? static_cast<std::uint32_t>(placement[end.index()]) : end.index();
  };
  RankTraffic traffic(stats.procs.size());
  for (const LDCommData& comm : stats.comm_data)
    traffic.add(rank_of(comm.sender), rank_of(comm.receiver), comm.bytes, comm.messages);
  return traffic;
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

namespace {

constexpr auto send_recv = static_cast<std::uint8_t>(lbdata::CommCategory::SendRecv) - 1;

}  // namespace

bool is_traffic(const LDStats& stats, std::size_t edge) {
  return (stats.comm_categories.empty() || stats.comm_categories[edge] == send_recv) &&
         stats.comm_data[edge].sender.is_object() && stats.comm_data[edge].receiver.is_object();
}

RecordedTraffic recorded_traffic(const lbdata::Dataset& dataset, std::int64_t phase,
                                 const WorkCoefficients& coefficients) {
  const Records records = phase_records(dataset, phase);
  const ObjectNumbers numbers(dataset.entities, records);
  std::vector<std::int32_t> nodes;
  for (std::size_t rank = 0; rank < records.size(); ++rank) nodes.push_back(node_of_rank(dataset, rank));
  RecordedTraffic result{.traffic = RankTraffic(records.size()), .cost = TrafficCost(records.size())};
  for_each_edge(records, phase, numbers, [&](const PhaseEdge& edge) {
    ++result.n_edges;
    if (!edge.from || !edge.to) return;
    const std::uint32_t from = numbers.rank_of(*edge.from, edge.rank);
    const std::uint32_t to = numbers.rank_of(*edge.to, edge.rank);
    result.traffic.add(from, to, edge.bytes(), edge.messages());
    const bool is_traffic =
        edge.edges.category[edge.position] == send_recv && edge.from->is_object() && edge.to->is_object();
    if (is_traffic && from != to)
      result.cost.add(from, to, edge.bytes() * coefficients.of_byte(nodes[from], nodes[to]));
  });
  return result;
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
      cost.add(from, to, data.bytes * coefficients_.of_byte(stats_.procs[from].node, stats_.procs[to].node));
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

double WorkModel::max_work(std::span<const std::int32_t> placement, std::span<const double> work) const {
  double sum = 0;
  std::vector<double> outside(work.begin(), work.end());
  const std::vector<std::vector<double>> times = subphase_times(stats_, placement);
  for (std::size_t subphase = SubphaseLoads::outside + 1; subphase < times.size(); ++subphase) {
    double max = 0;
    for (std::size_t rank = 0; rank < work.size(); ++rank) {
      const double of_rank = coefficients_.alpha * stats_.procs[rank].rank_alpha * times[subphase][rank];
      outside[rank] -= of_rank;
      max = std::max(max, of_rank);
    }
    sum += max;
  }
  return sum + std::ranges::max(outside);
}

WorkSummary WorkModel::evaluate(std::span<const std::int32_t> placement, const TrafficCost* traffic) const {
  WorkSummary summary{.work = finish_times(stats_, placement)};  // checks the placement
  const TrafficCost cost = traffic != nullptr ? *traffic : traffic_cost(placement);
  PLIMSOLL_EXPECT(cost.sent.size() == stats_.procs.size() && cost.received.size() == stats_.procs.size());
  for (std::size_t rank = 0; rank < summary.work.size(); ++rank)
    summary.work[rank] = coefficients_.alpha * stats_.procs[rank].rank_alpha * summary.work[rank] +
                         coefficients_.gamma + std::max(cost.sent[rank], cost.received[rank]);
  if (!stats_.memory.empty()) add_memory(placement, summary);
  summary.sum = std::accumulate(summary.work.begin(), summary.work.end(), 0.0);
  if (!std::isfinite(summary.sum))
    throw support::bad_input("the work of all ranks exceeds the range of floating-point numbers", {},
                             "use smaller coefficients of the work model");
  if (!summary.work.empty()) summary.max = max_work(placement, summary.work);
  summary.imbalance = imbalance(summary.max, summary.work);
  return summary;
}

namespace {

std::array<double, 6> criteria(const Quality& quality) {
  return {
      quality.work.max,       quality.max_memory_bytes.value_or(0), quality.max_node_memory_bytes.value_or(0),
      quality.off_rank_bytes, static_cast<double>(quality.n_moved), quality.moved_bytes};
}

bool clearly_less(double left, double right) {
  constexpr double rounding = 1e-9;
  return left < right - rounding * std::max(std::abs(left), std::abs(right));
}

void add_moves(const LDStats& stats, std::span<const std::int32_t> placement, Quality& quality) {
  for (std::size_t object = 0; object < placement.size(); ++object) {
    if (placement[object] == stats.from_proc[object]) continue;
    ++quality.n_moved;
    quality.moved_load_s += stats.load_s(object);
    quality.moved_bytes += stats.migration_bytes(object);
  }
}

Quality assess_with(const LDStats& stats, std::span<const std::int32_t> placement,
                    const RankTraffic& traffic) {
  const std::vector<double> times = finish_times(stats, placement);
  Quality quality{.max_time_s = phase_time(stats, placement)};
  quality.imbalance = imbalance(quality.max_time_s, times);
  if (!times.empty()) {
    quality.mean_time_s =
        std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  }
  add_moves(stats, placement, quality);
  quality.off_rank_bytes = traffic.off_rank_bytes();
  quality.off_rank_messages = traffic.off_rank_messages();
  return quality;
}

void set_work(const LDStats& stats, WorkSummary work, Quality& quality) {
  quality.work = std::move(work);
  const std::vector<double>& of_ranks = quality.work.memory_bytes;
  const double maximum = of_ranks.empty() ? 0 : std::ranges::max(of_ranks);
  if (maximum == 0) return;  // the sizes are unknown
  quality.max_memory_bytes = maximum;
  if (std::ranges::any_of(stats.procs, [](const ProcStats& proc) { return proc.node >= 0; }))
    quality.max_node_memory_bytes = std::ranges::max(quality.work.node_memory_bytes);
}

}  // namespace

Quality assess_recorded(const LDStats& stats, const RecordedTraffic& traffic,
                        const std::optional<WorkCoefficients>& work) {
  Quality quality = assess_with(stats, stats.from_proc, traffic.traffic);
  if (work) set_work(stats, WorkModel(stats, *work).evaluate(stats.from_proc, &traffic.cost), quality);
  return quality;
}

Quality assess(const LDStats& stats, std::span<const std::int32_t> placement,
               const WorkCoefficients& coefficients) {
  Quality quality = assess_with(stats, placement, rank_traffic(stats, placement));
  set_work(stats, WorkModel(stats, coefficients).evaluate(placement), quality);
  return quality;
}

bool dominates(const Quality& left, const Quality& right) {
  const auto ours = criteria(left);
  const auto theirs = criteria(right);
  bool better = false;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (clearly_less(theirs[k], ours[k])) return false;
    better = better || clearly_less(ours[k], theirs[k]);
  }
  return better;
}

double above_bound(const Quality& quality, const Bound& bound) {
  return bound.time_s > 0 ? quality.max_time_s / bound.time_s - 1 : 0;
}

}  // namespace plimsoll::balance
