#include "balance/search/fair_share.hpp"

namespace plimsoll::balance {

double fair_level(std::span<const Vessel> vessels, double load) {
  std::vector<Vessel> by_overhead(vessels.begin(), vessels.end());
  std::ranges::sort(by_overhead, {}, &Vessel::overhead);
  // Vessel after vessel joins those that share, while they finish after its overhead.
  double speed = 0;
  double work = load;
  double level = 0;
  for (const Vessel& vessel : by_overhead) {
    if (speed > 0 && level <= vessel.overhead) break;
    speed += vessel.speed;
    work += vessel.overhead * vessel.speed;
    level = work / speed;
  }
  return level;
}

std::vector<double> fair_shares(const ProcArray& procs, std::span<const std::int32_t> ranks, double load) {
  std::vector<Vessel> vessels;
  for (const std::int32_t rank : ranks) {
    const ProcInfo& proc = procs.procs[static_cast<std::size_t>(rank)];
    vessels.push_back({proc.overhead, proc.pe_speed});
  }
  const double level = fair_level(vessels, load);
  std::vector<double> shares;
  for (const Vessel& vessel : vessels) shares.push_back(vessel.room_below(level));
  return shares;
}

}  // namespace plimsoll::balance
