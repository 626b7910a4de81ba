#include "balance/strategies/refine_lb/shed.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace plimsoll::balance {

namespace {

/// Ranks by the load that they are above (donors) or below (receivers) the target.
using RanksByLoad = std::set<std::pair<double, std::uint32_t>>;

/// Takes the ranks of a pass through shed_excess from where they are to where their load says.
class Sides {
 public:
  Sides(const RankObjects& ranks, double target_s) : ranks_(ranks), target_s_(target_s) {
    for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank)
      if (ranks.available(rank)) insert(rank);
  }
  void insert(std::uint32_t rank) {
    const double room = (target_s_ - ranks_.finish(rank)) * ranks_.speed(rank);
    if (room < 0) donors.insert({-room, rank});
    if (room > 0) receivers.insert({room, rank});
  }

  RanksByLoad donors;
  RanksByLoad receivers;

 private:
  const RankObjects& ranks_;
  double target_s_;
};

}  // namespace

void evacuate(RankObjects& ranks) {
  std::vector<RankObjects::Item> evacuees;
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank) {
    if (ranks.available(rank)) continue;
    while (!ranks.items(rank).empty()) {
      const std::size_t heaviest = ranks.items(rank).size() - 1;
      const double load = ranks.items(rank)[heaviest].load;
      std::uint32_t best = rank;
      for (std::uint32_t other = 0; other < ranks.n_ranks(); ++other)
        if (ranks.available(other) && (best == rank || ranks.finish(other) + load / ranks.speed(other) <
                                                           ranks.finish(best) + load / ranks.speed(best)))
          best = other;
      ranks.move(rank, heaviest, best);
    }
  }
}

void shed_excess(RankObjects& ranks, double target_s, double mean_s) {
  Sides sides(ranks, target_s);
  while (!sides.donors.empty() && !sides.receivers.empty()) {
    const auto [excess, donor] = *sides.donors.rbegin();
    const auto [most_room, roomiest] = *sides.receivers.rbegin();
    const std::vector<RankObjects::Item>& items = ranks.items(donor);
    const auto at_least = [&](double load) {
      return std::ranges::lower_bound(items, load, {}, &RankObjects::Item::load);
    };

    // The lightest object that cures the donor, and the heaviest that neither cures it nor overfills a
    // receiver.
    const auto cure = at_least(excess);
    const auto cannot_fit =
        std::ranges::upper_bound(items, std::min(excess, most_room), {}, &RankObjects::Item::load);
    const bool cure_fits = cure != items.end() && cure->load <= most_room;
    const bool part_fits = cannot_fit != items.begin() && (cannot_fit - 1)->load > 0;
    // All room beyond the mean is shared by all ranks: a donor must not fall far below the target.
    const double allowed_hole = (target_s - mean_s) * ranks.speed(donor) / 2;

    auto given = items.end();
    auto receiver = std::prev(sides.receivers.end());
    if (cure_fits && (cure->load - excess <= allowed_hole || !part_fits)) {
      given = cure;
      receiver = sides.receivers.lower_bound({cure->load, 0});
    } else if (part_fits) {
      const auto part = cannot_fit - 1;
      // A crumb is not worth a migration where an exchange could do much more.
      if (cannot_fit == items.end() || 2 * part->load >= std::min(excess, most_room)) given = part;
    }
    if (given == items.end()) {
      sides.donors.erase({excess, donor});  // left to the exchanges
      continue;
    }

    const auto [room, taker] = *receiver;
    sides.donors.erase({excess, donor});
    sides.receivers.erase(receiver);
    ranks.move(donor, static_cast<std::size_t>(given - items.begin()), taker);
    // Not back among the receivers: a donor that falls below the target has its final load.
    if (ranks.finish(donor) > target_s) sides.insert(donor);
    sides.insert(taker);
  }
}

}  // namespace plimsoll::balance
