#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include <plimsoll/support/contract.hpp>

#include "balance/strategies/refine_lb/shed.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Item = RanksByRoom::Item;
using Items = RanksByRoom::Items;

constexpr double impossible = std::numeric_limits<double>::infinity();

/// Returns the room that remains unused on a host if it receives an object of `load`, and objects with a
/// total load of at least `needed` leave it. Each of these must fit into `room` on another rank. One leaving
/// object is better than several: for several, the result is so large that it is a last resort.
double wasted_room(const Items& of_host, double load, double needed, double room) {
  const auto leaving = std::ranges::lower_bound(of_host, needed, {}, &Item::load);
  if (leaving != of_host.end() && leaving->load <= room) return leaving->load - needed;
  double light = 0;
  for (const Item& item : of_host) {
    if (item.load > std::min(room, load / 2)) break;
    light += item.load;
  }
  return light >= needed ? load + needed : impossible;
}

/// Returns the rank with the smallest unused room after it has received `load`.
std::optional<std::uint32_t> find_host(RanksByRoom& ranks, const Donor& donor, double load,
                                       std::size_t max_hosts) {
  const double below_target = load - std::min(load, donor.excess);
  std::optional<std::uint32_t> best;
  double least_waste = impossible;
  const RanksByRoom::Ranks& hosts = ranks.underloaded();
  std::size_t left = max_hosts;
  for (auto host = hosts.rbegin(); host != hosts.rend() && left > 0; ++host, --left) {
    if (below_target >= host->first) break;  // the total load above the target would not decrease
    const auto other = host == hosts.rbegin() ? std::next(host) : hosts.rbegin();
    const double waste = wasted_room(ranks.items(host->second), load, load - host->first,
                                     other == hosts.rend() ? 0 : other->first);
    if (waste < least_waste) {
      least_waste = waste;
      best = host->second;
    }
    if (waste <= donor.surplus) break;
  }
  return best;
}

/// Returns the object of an overloaded rank that should leave next: the lightest sufficient one if it fits on
/// another rank, else the heaviest one that fits.
const Item* next_to_leave(RanksByRoom& ranks, std::uint32_t rank) {
  const Items& items = ranks.items(rank);
  const double excess = -ranks.room(rank);
  const double most_room = ranks.most_room();
  const auto sufficient = std::ranges::lower_bound(items, excess, {}, &Item::load);
  if (sufficient != items.end() && sufficient->load <= most_room) return &*sufficient;
  const auto beyond = std::ranges::upper_bound(items, std::min(excess, most_room), {}, &Item::load);
  return beyond == items.begin() || (beyond - 1)->load == 0 ? nullptr : &*(beyond - 1);
}

}  // namespace

bool make_room(RanksByRoom& ranks, const Donor& donor, std::size_t max_hosts) {
  PLIMSOLL_EXPECT(donor.excess > 0);
  if (ranks.items(donor.rank).empty()) return false;  // its fixed load alone is above the target
  auto chosen = lightest_sufficient(ranks, donor);
  if (chosen == ranks.items(donor.rank).end()) --chosen;
  const Item given = *chosen;
  const std::optional<std::uint32_t> host = find_host(ranks, donor, given.load, max_hosts);
  if (!host) return false;
  ranks.move(donor.rank, given, *host);
  while (ranks.room(*host) < 0 && ranks.most_room() > 0) {
    const Item* leaving = next_to_leave(ranks, *host);
    if (leaving == nullptr) break;
    ranks.move_to_best_fit(*host, *leaving);
  }
  return true;
}

std::size_t pass_on_excess(RanksByRoom& ranks, const Donor& donor, std::uint32_t partner, double max_below,
                           std::size_t max_returned) {
  PLIMSOLL_EXPECT(donor.excess > 0 && partner != donor.rank);
  const auto sufficient = lightest_sufficient(ranks, donor);
  if (sufficient == ranks.items(donor.rank).end()) return 0;
  const Item given = *sufficient;
  const Items& theirs = ranks.items(partner);
  double below = given.load - donor.excess;
  Items returned;
  auto end = theirs.end();
  while (returned.size() < max_returned) {
    const auto beyond = std::ranges::upper_bound(theirs.begin(), end, below, {}, &Item::load);
    if (beyond == theirs.begin() || (beyond - 1)->load == 0) break;
    end = beyond - 1;
    below -= end->load;
    returned.push_back(*end);
  }
  if (below > max_below) return 0;
  ranks.move(donor.rank, given, partner);
  for (const Item& item : returned) ranks.move(partner, item, donor.rank);
  return 1 + returned.size();
}

}  // namespace plimsoll::balance
