#include "balance/search/rank_objects.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

std::uint32_t now_on(const ObjGraph& graph, std::uint32_t object) {
  const std::int32_t decided = graph.new_pe(object);
  return static_cast<std::uint32_t>(decided == ObjGraph::no_pe ? graph.current_pe(object) : decided);
}

}  // namespace

RankObjects::RankObjects(ObjGraph& graph, const ProcArray& procs)
    : graph_(graph), procs_(procs), items_(procs.procs.size()), sorted_(procs.procs.size()) {
  const std::size_t n_ranks = procs.procs.size();
  // Use counting sort: begin_[r + 2] counts r's objects; after summation, begin_[r + 1] is the position of
  // r's next object.
  begin_.assign(n_ranks + 2, 0);
  std::vector<double> load(n_ranks, 0.0);
  for (std::uint32_t object = 0; object < graph.n_vertices(); ++object) {
    if (!graph.migratable(object)) continue;
    const std::uint32_t rank = now_on(graph, object);
    ++begin_[rank + 2];
    load[rank] += graph.compute_load(object);
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  objects_.resize(begin_.back());
  for (std::uint32_t object = 0; object < graph.n_vertices(); ++object)
    if (graph.migratable(object)) objects_[begin_[now_on(graph, object) + 1]++] = object;
  for (std::size_t rank = 0; rank < n_ranks; ++rank)
    finish_.push_back(procs.procs[rank].overhead + load[rank] / procs.procs[rank].pe_speed);
}

double RankObjects::max_finish() const {
  double max = 0;
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank)
    if (available(rank)) max = std::max(max, finish_[rank]);
  return max;
}

const std::vector<RankObjects::Item>& RankObjects::items(std::uint32_t rank) {
  std::vector<Item>& items = items_[rank];
  if (!sorted_[rank]) {
    for (std::uint32_t i = begin_[rank]; i < begin_[rank + 1]; ++i)
      items.push_back({graph_.compute_load(objects_[i]), objects_[i]});
    std::ranges::sort(items);
    sorted_[rank] = true;
  }
  return items;
}

std::uint32_t RankObjects::rank_of(std::uint32_t object) const {
  return now_on(graph_, object);
}

std::vector<LoadedObject> RankObjects::by_descending_load() const {
  std::vector<LoadedObject> objects;
  objects.reserve(objects_.size());
  for (const std::uint32_t object : objects_) objects.push_back({graph_.compute_load(object), object});
  sort_by_descending_load(objects);
  return objects;
}

void RankObjects::move(std::uint32_t from, std::size_t position, std::uint32_t to) {
  const Item item = items_[from][position];
  items_[from].erase(items_[from].begin() + static_cast<std::ptrdiff_t>(position));
  std::vector<Item>& target = items_[to];
  target.insert(sorted_[to] ? std::ranges::upper_bound(target, item) : target.end(), item);
  finish_[from] -= item.load / speed(from);
  finish_[to] += item.load / speed(to);
  graph_.set_new_pe(item.object, static_cast<std::int32_t>(to));
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
Exchange best_exchange(RankObjects& ranks, std::uint32_t late, std::uint32_t partner, double target_s) {
  const std::vector<RankObjects::Item>& ours = ranks.items(late);
  const std::vector<RankObjects::Item>& theirs = ranks.items(partner);
  const double our_speed = ranks.speed(late);
  const double their_speed = ranks.speed(partner);
  // Compute the load whose migration makes both ranks finish at the same time.
  const double ideal =
      (ranks.finish(late) - ranks.finish(partner)) * our_speed * their_speed / (our_speed + their_speed);

  Exchange best;
  best.partner = partner;
  const auto consider = [&](std::size_t given, std::optional<std::size_t> taken) {
    const double load = ours[given].load - (taken ? theirs[*taken].load : 0);
    if (load <= 0) return;
    const double later =
        std::max(ranks.finish(late) - load / our_speed, ranks.finish(partner) + load / their_speed);
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

void level_by_exchange(RankObjects& ranks, double target_s) {
  std::set<std::pair<double, std::uint32_t>> by_finish;
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank)
    if (ranks.available(rank)) by_finish.insert({ranks.finish(rank), rank});

  for (std::size_t left = max_exchanges_per_rank * by_finish.size(); left > 0; --left) {
    const auto [latest_s, late] = *by_finish.rbegin();
    if (latest_s <= target_s) return;
    Exchange best;
    int partners = 0;
    for (const auto& [finish_s, partner] : by_finish) {
      if (partner == late || ++partners > max_partners) break;
      const Exchange found = best_exchange(ranks, late, partner, target_s);
      if (found.later_finish_s < best.later_finish_s) best = found;
      if (best.later_finish_s <= target_s) break;
    }
    if (best.later_finish_s >= latest_s * (1 - rounding_error)) return;

    by_finish.erase({latest_s, late});
    by_finish.erase({ranks.finish(best.partner), best.partner});
    const std::optional<std::size_t> taken = best.taken;
    const RankObjects::Item returned = taken ? ranks.items(best.partner)[*taken] : RankObjects::Item{};
    ranks.move(late, best.given, best.partner);
    if (taken) {
      // Look up the position again: the arrival may have shifted it.
      const auto& theirs = ranks.items(best.partner);
      ranks.move(best.partner, std::ranges::lower_bound(theirs, returned) - theirs.begin(), late);
    }
    by_finish.insert({ranks.finish(late), late});
    by_finish.insert({ranks.finish(best.partner), best.partner});
  }
}

RanksByRoom::RanksByRoom(RankObjects& ranks, double target_s) : ranks_(ranks), target_s_(target_s) {
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank) insert(rank);
}

void RanksByRoom::move(std::uint32_t from, const Item& item, std::uint32_t to) {
  // Copy the item: it may be an element of the list that changes.
  const Item moved = item;
  const Items& own = ranks_.items(from);
  erase(from);
  erase(to);
  ranks_.move(from, static_cast<std::size_t>(std::ranges::lower_bound(own, moved) - own.begin()), to);
  insert(from);
  insert(to);
}

void RanksByRoom::insert(std::uint32_t rank) {
  if (!ranks_.available(rank)) return;
  const double of_rank = room(rank);
  total_excess_ -= std::min(of_rank, 0.0);
  if (of_rank < 0) overloaded_.insert({of_rank, rank});
  if (of_rank > 0) underloaded_.insert({of_rank, rank});
}

void RanksByRoom::erase(std::uint32_t rank) {
  if (!ranks_.available(rank)) return;
  const double of_rank = room(rank);
  total_excess_ += std::min(of_rank, 0.0);
  (of_rank < 0 ? overloaded_ : underloaded_).erase({of_rank, rank});
}

}  // namespace plimsoll::balance
