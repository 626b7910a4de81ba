#include "balance/search/placement.hpp"

#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

Placement::Placement(const LDStats& stats, const ProcArray& procs, std::vector<std::int32_t> start)
    : stats_(stats),
      procs_(procs),
      assignment_(std::move(start)),
      items_(procs.procs.size()),
      sorted_(procs.procs.size()) {
  PLIMSOLL_EXPECT(assignment_.size() == stats.obj_data.size() && procs.procs.size() == stats.procs.size());
  const std::size_t n_ranks = procs.procs.size();
  // Use counting sort: begin_[r + 2] counts r's objects; after summation, begin_[r + 1] is the position of
  // r's next object.
  begin_.assign(n_ranks + 2, 0);
  std::vector<double> loads(n_ranks, 0.0);
  for (std::uint32_t object = 0; object < assignment_.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    ++begin_[rank_of(object) + 2];
    loads[rank_of(object)] += load(object);
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  objects_.resize(begin_.back());
  for (std::uint32_t object = 0; object < assignment_.size(); ++object)
    if (stats.obj_data[object].migratable) objects_[begin_[rank_of(object) + 1]++] = object;
  for (std::size_t rank = 0; rank < n_ranks; ++rank)
    finish_.push_back(procs.procs[rank].overhead + loads[rank] / procs.procs[rank].pe_speed);
}

double Placement::max_finish() const {
  double max = 0;
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank)
    if (available(rank)) max = std::max(max, finish_[rank]);
  return max;
}

const std::vector<Placement::Item>& Placement::items(std::uint32_t rank) {
  std::vector<Item>& items = items_[rank];
  if (!sorted_[rank]) {
    items.reserve(items.size() + begin_[rank + 1] - begin_[rank] + 2);
    for (std::uint32_t i = begin_[rank]; i < begin_[rank + 1]; ++i)
      items.push_back({load(objects_[i]), objects_[i]});
    std::ranges::sort(items);
    sorted_[rank] = true;
  }
  return items;
}

std::vector<LoadedObject> Placement::by_descending_load() const {
  std::vector<LoadedObject> objects;
  objects.reserve(objects_.size());
  for (const std::uint32_t object : objects_) objects.push_back({load(object), object});
  sort_by_descending_load(objects);
  return objects;
}

void Placement::move(std::uint32_t from, Item item, std::uint32_t to) {
  std::vector<Item>& source = items_[from];
  const auto position = std::ranges::lower_bound(source, item);
  PLIMSOLL_EXPECT(position != source.end() && *position == item && available(to));
  source.erase(position);
  std::vector<Item>& target = items_[to];
  target.insert(sorted_[to] ? std::ranges::upper_bound(target, item) : target.end(), item);
  finish_[from] -= item.load / speed(from);
  finish_[to] += item.load / speed(to);
  assignment_[item.object] = static_cast<std::int32_t>(to);
}

namespace {

constexpr int max_partners = 32;
constexpr std::size_t max_exchanges_per_rank = 16;

struct Exchange {
  std::uint32_t partner = 0;
  std::size_t given = 0;             ///< position in the items of `late`
  std::optional<std::size_t> taken;  ///< position in the items of `partner`; empty for a migration
  double later_finish_s = std::numeric_limits<double>::infinity();  ///< later of the two finish times
};

/// Returns the swap between `late` and `partner` that minimises the later of the two finish times.
Exchange best_exchange(Placement& placement, std::uint32_t late, std::uint32_t partner, double target_s) {
  const std::vector<Placement::Item>& ours = placement.items(late);
  const std::vector<Placement::Item>& theirs = placement.items(partner);
  const double our_speed = placement.speed(late);
  const double their_speed = placement.speed(partner);
  // Compute the load whose migration makes both ranks finish at the same time.
  const double ideal = (placement.finish(late) - placement.finish(partner)) * our_speed * their_speed /
                       (our_speed + their_speed);

  Exchange best;
  best.partner = partner;
  const auto consider = [&](std::size_t given, std::optional<std::size_t> taken) {
    const double load = ours[given].load - (taken ? theirs[*taken].load : 0);
    if (load <= 0) return;
    const double later =
        std::max(placement.finish(late) - load / our_speed, placement.finish(partner) + load / their_speed);
    if (later < best.later_finish_s) best = {partner, given, taken, later};
  };
  // For each object to receive, beginning with none (a migration), find the two objects nearest to the ideal
  // difference. Both lists ascend.
  std::size_t given = 0;
  const auto consider_around = [&](double wanted, std::optional<std::size_t> taken) {
    while (given < ours.size() && ours[given].load < wanted) ++given;
    if (given < ours.size()) consider(given, taken);
    if (given > 0) consider(given - 1, taken);
  };
  consider_around(ideal, {});
  if (best.later_finish_s <= target_s) return best;  // a migration suffices and costs less than a swap
  for (std::size_t taken = 0; taken < theirs.size(); ++taken)
    consider_around(theirs[taken].load + ideal, taken);
  return best;
}

}  // namespace

void level_by_exchange(Placement& placement, double target_s) {
  std::set<std::pair<double, std::uint32_t>> by_finish;
  for (std::uint32_t rank = 0; rank < placement.n_ranks(); ++rank)
    if (placement.available(rank)) by_finish.insert({placement.finish(rank), rank});

  for (std::size_t left = max_exchanges_per_rank * by_finish.size(); left > 0; --left) {
    const auto [latest_s, late] = *by_finish.rbegin();
    if (latest_s <= target_s) return;
    Exchange best;
    int partners = 0;
    for (const auto& [finish_s, partner] : by_finish) {
      if (partner == late || ++partners > max_partners) break;
      const Exchange found = best_exchange(placement, late, partner, target_s);
      if (found.later_finish_s < best.later_finish_s) best = found;
      if (best.later_finish_s <= target_s) break;
    }
    if (best.later_finish_s >= latest_s * (1 - rounding_error)) return;

    by_finish.erase({latest_s, late});
    by_finish.erase({placement.finish(best.partner), best.partner});
    const Placement::Item returned =
        best.taken ? placement.items(best.partner)[*best.taken] : Placement::Item{};
    placement.move(late, placement.items(late)[best.given], best.partner);
    if (best.taken) placement.move(best.partner, returned, late);
    by_finish.insert({placement.finish(late), late});
    by_finish.insert({placement.finish(best.partner), best.partner});
  }
}

RanksByRoom::RanksByRoom(Placement& placement, double target_s)
    : placement_(placement), target_s_(target_s), entries_(placement.n_ranks(), overloaded_.end()) {
  std::vector<std::pair<double, std::uint32_t>> rooms;
  rooms.reserve(placement.n_ranks());
  for (std::uint32_t rank = 0; rank < placement.n_ranks(); ++rank)
    if (placement.available(rank)) rooms.emplace_back(room(rank), rank);
  std::ranges::sort(rooms);
  for (const auto& entry : rooms) {
    total_excess_ -= std::min(entry.first, 0.0);
    if (entry.first == 0) continue;
    Ranks& ranks = entry.first < 0 ? overloaded_ : underloaded_;
    entries_[entry.second] = ranks.insert(ranks.end(), entry);
  }
}

void RanksByRoom::move(std::uint32_t from, const Item& item, std::uint32_t to) {
  Ranks::node_type of_from = extract(from);
  Ranks::node_type of_to = extract(to);
  placement_.move(from, item, to);
  insert(from, std::move(of_from));
  insert(to, std::move(of_to));
}

RanksByRoom::Ranks::node_type RanksByRoom::extract(std::uint32_t rank) {
  if (!placement_.available(rank)) return {};
  const double of_rank = room(rank);
  total_excess_ += std::min(of_rank, 0.0);
  const Ranks::iterator entry = std::exchange(entries_[rank], overloaded_.end());
  if (entry == overloaded_.end()) return {};
  return (of_rank < 0 ? overloaded_ : underloaded_).extract(entry);
}

void RanksByRoom::insert(std::uint32_t rank, Ranks::node_type entry) {
  if (!placement_.available(rank)) return;
  const double of_rank = room(rank);
  total_excess_ -= std::min(of_rank, 0.0);
  if (of_rank == 0) return;
  Ranks& ranks = of_rank < 0 ? overloaded_ : underloaded_;
  if (entry.empty()) {
    entries_[rank] = ranks.insert({of_rank, rank}).first;
  } else {
    entry.value() = {of_rank, rank};
    entries_[rank] = ranks.insert(std::move(entry)).position;
  }
}

}  // namespace plimsoll::balance
