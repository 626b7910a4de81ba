#include "balance/search/fair_share.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

double fair_level(std::span<const Processor> processors, double load) {
  std::vector<Processor> by_overhead(processors.begin(), processors.end());
  std::ranges::sort(by_overhead, {}, &Processor::overhead);
  // Add processors one by one, as long as the level is above their overhead.
  double speed = 0;
  double work = load;
  double level = 0;
  for (const Processor& processor : by_overhead) {
    if (speed > 0 && level <= processor.overhead) break;
    speed += processor.speed;
    work += processor.overhead * processor.speed;
    level = work / speed;
  }
  return level;
}

std::vector<double> fair_shares(const ProcArray& procs, std::span<const std::int32_t> ranks, double load) {
  std::vector<Processor> processors;
  for (const std::int32_t rank : ranks) {
    const ProcInfo& proc = procs.procs[static_cast<std::size_t>(rank)];
    processors.push_back({proc.overhead, proc.pe_speed});
  }
  const double level = fair_level(processors, load);
  std::vector<double> shares;
  shares.reserve(processors.size());
  for (const Processor& processor : processors) shares.push_back(processor.room_below(level));
  return shares;
}

}  // namespace plimsoll::balance
