#include "balance/strategies/refine_lb/shed.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

using Item = RanksByRoom::Item;
using Items = RanksByRoom::Items;

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
    placement.move(from, placement.items(from).back(), to);
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

std::optional<Swap> swap_within(const Items& ours, const Items& theirs, double minimum, double maximum) {
  std::size_t given = 0;
  for (std::size_t taken = 0; taken < theirs.size(); ++taken) {
    while (given < ours.size() && ours[given].load < theirs[taken].load + minimum) ++given;
    if (given == ours.size()) return {};
    const double load = ours[given].load - theirs[taken].load;
    if (load <= maximum) return Swap{given, taken, load};
  }
  return {};
}

Swap largest_swap(const Items& ours, const Items& theirs, double maximum) {
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
  const Item returned = ranks.items(partner)[swap.taken];
  ranks.move(giver, ranks.items(giver)[swap.given], partner);
  ranks.move(partner, returned, giver);
}

namespace {

struct FoundSwap {
  Swap swap;
  std::uint32_t partner = 0;
};

/// Single pass through all overloaded ranks. Each step takes the most overloaded one and applies the best
/// available migrations. A rank without any is set aside until the next pass.
class Pass {
 public:
  Pass(Placement& placement, double target_s, double mean_s, std::size_t number, Random& random,
       const RefineContext& context)
      : ranks_(placement, target_s),
        random_(random),
        context_(context),
        slack_s_(target_s - mean_s),
        number_(number),
        width_(std::size_t{1} << number),
        minimum_share_(context.minimum_share / static_cast<double>(width_)),
        steps_left_(context.max_steps_per_rank * placement.n_ranks()),
        random_left_(std::max<std::size_t>(placement.n_ranks(), context.min_random_partners)) {
    if (!ranks_.overloaded().empty()) maximum_excess_ = -ranks_.overloaded().begin()->first;
    if (number > 0) by_load_ = placement.by_descending_load();
  }

  /// Runs the pass. Returns whether an overloaded rank was set aside.
  bool run() {
    bool set_aside = false;
    while (!ranks_.overloaded().empty() && !ranks_.underloaded().empty()) {
      const auto [room, rank] = *ranks_.overloaded().begin();
      donor_ = {rank, -room, surplus(rank, -room)};
      if (step()) continue;
      ranks_.set_aside(rank);
      set_aside = true;
    }
    return set_aside;
  }

  std::size_t n_relocations() const { return n_relocations_; }

 private:
  /// Returns how far below the target a donor may end: its share of the total slack, but at least the slack
  /// of two ranks, because a migration can bring two ranks to the target.
  double surplus(std::uint32_t rank, double excess) const {
    const double share = static_cast<double>(ranks_.placement().n_ranks()) * excess / ranks_.total_excess();
    return slack_s_ * ranks_.placement().speed(rank) * std::max(2.0, share);
  }

  bool step() {
    const Items& items = ranks_.items(donor_.rank);
    const double most_room = ranks_.most_room();
    const auto sufficient = lightest_sufficient(ranks_, donor_);
    const bool fits = sufficient != items.end() && sufficient->load <= most_room;
    if (fits && sufficient->load - donor_.excess <= donor_.surplus) return give(*sufficient);
    const bool can_fit = sufficient != items.end() && sufficient->load < donor_.excess + most_room;
    if (!can_fit && give_heaviest(most_room, 0)) return true;
    if (swap_all()) return true;
    const double movable = std::min(donor_.excess, most_room);
    if (give_heaviest(movable, minimum_share_ * movable)) return true;
    if ((number_ > 0 || !can_fit) && make_room_for_donor()) return true;
    if (swap_part(movable)) return true;
    if (fits) return give(*sufficient);
    return number_ + 1 == context_.n_passes && pass_on();
  }

  bool give(const Item& item) {
    ranks_.move_to_best_fit(donor_.rank, item);
    return true;
  }

  bool give_heaviest(double maximum, double minimum) {
    const Items& items = ranks_.items(donor_.rank);
    const auto beyond = std::ranges::upper_bound(items, maximum, {}, &Item::load);
    return beyond != items.begin() && (beyond - 1)->load > minimum && give(*(beyond - 1));
  }

  bool make_room_for_donor() {
    if (steps_left_ == 0 || !make_room(ranks_, donor_, width_ * context_.hosts)) return false;
    --steps_left_;
    ++n_relocations_;
    return true;
  }

  /// Swaps two objects such that the donor ends at the target.
  bool swap_all() {
    if (steps_left_ == 0 || donor_.excess > ranks_.most_room()) return false;
    const std::optional<FoundSwap> found = number_ == 0 ? swap_by_room() : swap_by_load();
    return found && apply_swap(*found);
  }

  /// Searches the ranks with sufficient room, smallest room first.
  std::optional<FoundSwap> swap_by_room() {
    const Items& ours = ranks_.items(donor_.rank);
    const RanksByRoom::Ranks& partners = ranks_.underloaded();
    std::size_t seen = 0;
    for (auto partner = partners.lower_bound({donor_.excess, 0});
         seen < context_.search_width && partner != partners.end(); ++partner) {
      const Items& theirs = ranks_.items(partner->second);
      seen += ours.size() + theirs.size();
      const auto swap =
          swap_within(ours, theirs, donor_.excess, std::min(partner->first, donor_.excess + donor_.surplus));
      if (swap) return FoundSwap{*swap, partner->second};
    }
    return {};
  }

  /// Searches all objects for those with the right load.
  std::optional<FoundSwap> swap_by_load() {
    const Items& ours = ranks_.items(donor_.rank);
    const auto first = static_cast<std::size_t>(lightest_sufficient(ranks_, donor_) - ours.begin());
    for (std::size_t given = first; given < std::min(ours.size(), first + context_.index_choices); ++given)
      if (const auto found = swap_by_load(given)) return found;
    return {};
  }

  std::optional<FoundSwap> swap_by_load(std::size_t given) {
    const double load = ranks_.items(donor_.rank)[given].load;
    const double maximum = load - donor_.excess;
    std::optional<FoundSwap> best;
    double smallest_room = std::numeric_limits<double>::infinity();
    auto other = std::ranges::lower_bound(by_load_, maximum, std::ranges::greater(), &LoadedObject::load);
    for (std::size_t seen = 0; seen < context_.index_width; ++seen, ++other) {
      if (other == by_load_.end() || other->load < maximum - donor_.surplus) break;
      const std::uint32_t partner = ranks_.placement().rank_of(other->object);
      if (partner == donor_.rank || !ranks_.placement().available(partner)) continue;
      const double room = ranks_.room(partner);
      if (room < load - other->load || room >= smallest_room) continue;
      const Items& theirs = ranks_.items(partner);
      const auto taken = std::ranges::lower_bound(theirs, *other);
      smallest_room = room;
      best = {{given, static_cast<std::size_t>(taken - theirs.begin()), load - other->load}, partner};
    }
    return best;
  }

  /// Swaps two objects such that the partner ends at the target or just below it.
  bool swap_part(double movable) {
    if (steps_left_ == 0) return false;
    FoundSwap best;
    double best_room = 0;
    std::size_t left = width_ * context_.partial_partners;
    const RanksByRoom::Ranks& partners = ranks_.underloaded();
    for (auto partner = partners.rbegin(); partner != partners.rend() && left > 0; ++partner, --left) {
      const double maximum = std::min(donor_.excess, partner->first);
      if (maximum <= best.swap.load) break;
      const Swap swap = largest_swap(ranks_.items(donor_.rank), ranks_.items(partner->second), maximum);
      if (swap.load > best.swap.load) {
        best = {swap, partner->second};
        best_room = partner->first;
      }
      if (best.swap.load >= context_.good_share * maximum) break;
    }
    return best.swap.load > minimum_share_ * std::min(movable, best_room) && apply_swap(best);
  }

  /// Passes the excess on to a random rank below the target, whose other objects allow further swaps.
  bool pass_on() {
    std::size_t left = width_ * context_.random_partners;
    for (; left > 0 && random_left_ > 0 && steps_left_ > 0; --left) {
      --random_left_;
      const auto partner = static_cast<std::uint32_t>(random_.next() % ranks_.placement().n_ranks());
      const double room = ranks_.room(partner);
      if (!ranks_.placement().available(partner) || room < 0) continue;
      const double max_below = std::min(std::max(donor_.surplus, context_.random_surplus * donor_.excess),
                                        room + maximum_excess_ - donor_.excess);
      const auto swap = swap_within(ranks_.items(donor_.rank), ranks_.items(partner), donor_.excess,
                                    donor_.excess + max_below);
      if (swap) return apply_swap({*swap, partner});
      const std::size_t moved = pass_on_excess(ranks_, donor_, partner, max_below, context_.max_returned);
      steps_left_ -= std::min(steps_left_, moved);
      if (moved > 0) return true;
    }
    return false;
  }

  bool apply_swap(const FoundSwap& found) {
    --steps_left_;
    apply(found.swap, donor_.rank, found.partner, ranks_);
    return true;
  }

  RanksByRoom ranks_;
  Random& random_;
  const RefineContext& context_;
  double slack_s_;
  std::size_t number_;
  std::size_t width_;
  double minimum_share_;
  double maximum_excess_ = 0;  ///< maximum load above the target at the start of the pass
  std::size_t steps_left_;     ///< number of steps that may take more than one migration
  std::size_t random_left_;
  std::size_t n_relocations_ = 0;
  std::vector<LoadedObject> by_load_;  ///< all migratable objects, heaviest first; empty in the first pass
  Donor donor_{};                      ///< overloaded rank of this step
};

}  // namespace

std::size_t shed_excess(Placement& placement, double target_s, double mean_s, const RefineContext& context) {
  PLIMSOLL_EXPECT(mean_s <= target_s);
  Random random(1);
  std::size_t n_relocations = 0;
  bool more = true;
  for (std::size_t number = 0; number < context.n_passes && more; ++number) {
    Pass pass(placement, target_s, mean_s, number, random, context);
    more = pass.run();
    n_relocations += pass.n_relocations();
  }
  return n_relocations;
}

}  // namespace plimsoll::balance
