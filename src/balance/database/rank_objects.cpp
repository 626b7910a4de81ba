#include "balance/database/rank_objects.hpp"

#include <algorithm>
#include <numeric>

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

}  // namespace plimsoll::balance
