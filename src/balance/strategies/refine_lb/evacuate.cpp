#include "balance/strategies/refine_lb/evacuate.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Queue of ranks of equal speed: the rank that finishes first is the best for any object.
using EarliestRanks = std::priority_queue<std::pair<double, std::uint32_t>,
                                          std::vector<std::pair<double, std::uint32_t>>, std::greater<>>;

}  // namespace

void evacuate(RankObjects& ranks) {
  std::map<double, EarliestRanks> by_speed;
  std::vector<std::pair<double, std::uint32_t>> to_evacuate;  // load, and the rank to leave
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank) {
    if (ranks.available(rank)) {
      by_speed[ranks.speed(rank)].push({ranks.finish(rank), rank});
    } else {
      for (const RankObjects::Item& item : ranks.items(rank)) to_evacuate.emplace_back(item.load, rank);
    }
  }
  std::ranges::sort(to_evacuate, std::greater<>());

  for (const auto& [load, from] : to_evacuate) {
    const auto best = std::ranges::min_element(by_speed, {}, [load = load](const auto& of_speed) {
      const auto& [speed, earliest] = of_speed;
      return std::pair(earliest.top().first + load / speed, earliest.top().second);
    });
    EarliestRanks& earliest = best->second;
    const std::uint32_t to = earliest.top().second;
    ranks.move(from, ranks.items(from).size() - 1, to);
    earliest.pop();
    earliest.push({ranks.finish(to), to});
  }
}

}  // namespace plimsoll::balance
