
#include <algorithm>
#include <numeric>

#include <plimsoll/balance/placement_summary.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/lbdata/comm_category.hpp>

namespace plimsoll::balance {

namespace {

bool is_traffic(const LDStats& stats, std::size_t edge) {
  constexpr auto send_recv = static_cast<std::uint8_t>(lbdata::CommCategory::SendRecv) - 1;
  return (stats.comm_categories.empty() || stats.comm_categories[edge] == send_recv) &&
         stats.comm_data[edge].sender.is_object() && stats.comm_data[edge].receiver.is_object();
}

}  // namespace

void WorkModel::add_homing(std::span<const std::int32_t> placement, std::vector<double>& work) const {
  std::vector<std::pair<std::int32_t, std::uint32_t>> uses;  // (rank, block) away from home
  for (std::size_t object = 0; object < stats_.memory.size(); ++object) {
    const std::uint32_t block = stats_.memory[object].block;
    if (block != ObjMemory::no_block && stats_.blocks[block].home != placement[object])
      uses.emplace_back(placement[object], block);
  }
  std::ranges::sort(uses);
  const auto repeats = std::ranges::unique(uses);
  uses.erase(repeats.begin(), repeats.end());
  for (const auto& [rank, block] : uses)
    work[static_cast<std::size_t>(rank)] += coefficients_.delta * stats_.blocks[block].bytes;
}

WorkSummary WorkModel::evaluate(std::span<const std::int32_t> placement) const {
  WorkSummary summary;
  summary.work = finish_times(stats_, placement);
  const RankTraffic traffic =
      rank_traffic(stats_, placement, [&](std::size_t edge) { return is_traffic(stats_, edge); });
  for (std::size_t rank = 0; rank < summary.work.size(); ++rank)
    summary.work[rank] =
        coefficients_.alpha * stats_.procs[rank].rank_alpha * summary.work[rank] +
        coefficients_.beta * std::max(traffic.sent_bytes[rank], traffic.received_bytes[rank]) +
        coefficients_.gamma;
  add_homing(placement, summary.work);
  summary.sum = std::accumulate(summary.work.begin(), summary.work.end(), 0.0);
  if (!summary.work.empty()) summary.max = *std::ranges::max_element(summary.work);
  summary.imbalance = imbalance(summary.work);
  return summary;
}

}  // namespace plimsoll::balance
