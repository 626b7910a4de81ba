#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/balance/finish_times.hpp>
#include <plimsoll/balance/memory_use.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::balance {

bool is_traffic(const LDStats& stats, std::size_t edge) {
  constexpr auto send_recv = static_cast<std::uint8_t>(lbdata::CommCategory::SendRecv) - 1;
  return (stats.comm_categories.empty() || stats.comm_categories[edge] == send_recv) &&
         stats.comm_data[edge].sender.is_object() && stats.comm_data[edge].receiver.is_object();
}

void WorkModel::add_traffic(std::span<const std::int32_t> placement, std::vector<double>& work) const {
  std::vector<double> sent(work.size());
  std::vector<double> received(work.size());
  for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge) {
    if (!is_traffic(stats_, edge)) continue;
    const LDCommData& data = stats_.comm_data[edge];
    const auto from = static_cast<std::size_t>(placement[data.sender.index()]);
    const auto to = static_cast<std::size_t>(placement[data.receiver.index()]);
    if (from == to) continue;
    const double cost = data.bytes * coefficients_.of_byte(stats_.procs[from], stats_.procs[to]);
    sent[from] += cost;
    received[to] += cost;
  }
  for (std::size_t rank = 0; rank < work.size(); ++rank) work[rank] += std::max(sent[rank], received[rank]);
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
  WorkSummary summary;
  summary.work = finish_times(stats_, placement);
  for (std::size_t rank = 0; rank < summary.work.size(); ++rank)
    summary.work[rank] =
        coefficients_.alpha * stats_.procs[rank].rank_alpha * summary.work[rank] + coefficients_.gamma;
  if (coefficients_.weigh_traffic()) add_traffic(placement, summary.work);
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
