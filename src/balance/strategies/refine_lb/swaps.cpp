#include "balance/strategies/refine_lb/swaps.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

std::optional<Swap> swap_within(const RanksByRoom::Items& ours, const RanksByRoom::Items& theirs,
                                double minimum, double maximum) {
  std::size_t given = 0;
  for (std::size_t taken = 0; taken < theirs.size(); ++taken) {
    while (given < ours.size() && ours[given].load < theirs[taken].load + minimum) ++given;
    if (given == ours.size()) return {};
    const double load = ours[given].load - theirs[taken].load;
    if (load <= maximum) return Swap{given, taken, load};
  }
  return {};
}

Swap largest_swap(const RanksByRoom::Items& ours, const RanksByRoom::Items& theirs, double maximum) {
  Swap largest;
  std::size_t beyond = 0;
  for (std::size_t taken = 0; taken < theirs.size(); ++taken) {
    while (beyond < ours.size() && ours[beyond].load <= theirs[taken].load + maximum) ++beyond;
    if (beyond == 0) continue;
    const double load = ours[beyond - 1].load - theirs[taken].load;
    if (load > largest.load) largest = {beyond - 1, taken, load};
  }
  return largest;
}

void apply(const Swap& swap, std::uint32_t giver, std::uint32_t partner, RanksByRoom& ranks) {
  const RanksByRoom::Item returned = ranks.items(partner)[swap.taken];
  ranks.move(giver, ranks.items(giver)[swap.given], partner);
  ranks.move(partner, returned, giver);
}

}  // namespace plimsoll::balance
