#include "balance/fair_share.hpp"

#include <algorithm>

namespace plimsoll::balance {

std::vector<double> fair_shares(const ProcArray& procs, std::span<const std::int32_t> ranks, double load) {
  const auto proc = [&](std::int32_t rank) -> const ProcInfo& {
    return procs.procs[static_cast<std::size_t>(rank)];
  };
  std::vector<std::int32_t> by_overhead(ranks.begin(), ranks.end());
  std::ranges::sort(by_overhead, {}, [&](std::int32_t rank) { return proc(rank).overhead; });
  // Rank after rank joins those that share, while they finish after its overhead.
  double speed = 0;
  double work = load;
  double finish_s = 0;
  for (const std::int32_t rank : by_overhead) {
    if (speed > 0 && finish_s <= proc(rank).overhead) break;
    speed += proc(rank).pe_speed;
    work += proc(rank).overhead * proc(rank).pe_speed;
    finish_s = work / speed;
  }
  std::vector<double> shares;
  for (const std::int32_t rank : ranks)
    shares.push_back(std::max(0.0, finish_s - proc(rank).overhead) * proc(rank).pe_speed);
  return shares;
}

}  // namespace plimsoll::balance
