#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"
#include "balance/strategies/refine_lb/shed.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Queue of ranks of equal speed: the rank that finishes first is the best for any object.
using EarliestRanks = std::priority_queue<std::pair<double, std::uint32_t>,
                                          std::vector<std::pair<double, std::uint32_t>>, std::greater<>>;

}  // namespace

void evacuate(Placement& placement) {
  std::map<double, EarliestRanks> by_speed;
  std::vector<std::pair<double, std::uint32_t>> to_evacuate;  // load, and the rank to leave
  for (std::uint32_t rank = 0; rank < placement.n_ranks(); ++rank) {
    if (placement.available(rank)) {
      by_speed[placement.speed(rank)].push({placement.finish(rank), rank});
    } else {
      for (const Placement::Item& item : placement.items(rank)) to_evacuate.emplace_back(item.load, rank);
    }
  }
  PLIMSOLL_EXPECT(to_evacuate.empty() || !by_speed.empty());
  std::ranges::sort(to_evacuate, std::greater<>());

  for (const auto& [load, from] : to_evacuate) {
    const auto best = std::ranges::min_element(by_speed, {}, [load = load](const auto& of_speed) {
      const auto& [speed, earliest] = of_speed;
      return std::pair(earliest.top().first + load / speed, earliest.top().second);
    });
    EarliestRanks& earliest = best->second;
    const std::uint32_t to = earliest.top().second;
    placement.move(from, placement.items(from).size() - 1, to);
    earliest.pop();
    earliest.push({placement.finish(to), to});
  }
}

void keep_or_place(LDStats& stats, double latest_s) {
  ProcArray procs(stats);
  PLIMSOLL_EXPECT(procs.n_available() > 0 || procs.n_migratable() == 0);
  ObjGraph graph(stats, GraphEdges::ignore);
  procs.reset_total_load();
  using Finish = std::pair<double, std::int32_t>;
  // A rank whose load has grown also has outdated entries, which are removed when they reach the front.
  std::priority_queue<Finish, std::vector<Finish>, std::greater<>> earliest;
  for (const ProcInfo& proc : procs.procs)
    if (proc.available) earliest.push({proc.total_load, proc.proc_id});

  for (const LoadedObject& item : migratable_by_descending_load(stats)) {
    ProcInfo* proc = &procs.procs[static_cast<std::size_t>(stats.from_proc[item.object])];
    const bool fits = item.load == 0 || proc->total_load + item.load / proc->pe_speed <= latest_s;
    if (!proc->available || !fits) {
      while (earliest.top().first != procs.procs[static_cast<std::size_t>(earliest.top().second)].total_load)
        earliest.pop();
      proc = &procs.procs[static_cast<std::size_t>(earliest.top().second)];
    }
    graph.set_new_pe(item.object, proc->proc_id);
    proc->total_load += item.load / proc->pe_speed;
    earliest.push({proc->total_load, proc->proc_id});
  }
  graph.convert_decisions(stats);
}

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
