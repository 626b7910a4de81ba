#include "balance/strategies/diffusion_lb/departures.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Object that may leave along a link, and the bytes that this saves per second of load.
struct Leaver {
  double gain = 0;
  std::size_t object = 0;

  bool operator<(const Leaver& other) const {
    return gain != other.gain ? gain < other.gain : object > other.object;
  }
};

class DepartureChoice {
 public:
  DepartureChoice(const LocalObjects& objects, const DepartureRules& rules)
      : objects_(objects),
        rules_(rules),
        surplus_(rules.surplus),
        new_ranks_(objects.objects().size(), objects.self()) {}

  /// Chooses objects for a link until its flow is realised. Gains change while objects leave: each change
  /// adds a candidate, and those with an earlier gain are dropped when their turn comes.
  void choose_for(RankLink& link) {
    std::priority_queue<Leaver> candidates = candidates_for(link.rank);
    while (std::min(link.flow, surplus_) > 0 && !candidates.empty()) {
      const Leaver best = candidates.top();
      candidates.pop();
      if (rules_.must_save && best.gain <= 0) return;
      const DiffusionObject& object = objects_.objects()[best.object];
      if (!is_here(best.object) || best.gain != gain(best.object, link.rank)) continue;
      if (object.load > max_load(link)) continue;
      new_ranks_[best.object] = link.rank;
      link.flow -= object.load;
      surplus_ -= object.load;
      for (const DiffusionEdge& edge : object.edges)
        if (const std::size_t neighbor = objects_.neighbor_of(edge);
            neighbor != LocalObjects::none && is_here(neighbor))
          candidates.push({gain(neighbor, link.rank), neighbor});
    }
  }

  std::vector<std::int32_t> result() { return std::move(new_ranks_); }

 private:
  double max_load(const RankLink& link) const {
    return rules_.within_flows ? link.flow : 2 * std::min(link.flow, surplus_);
  }

  bool is_here(std::size_t object) const { return new_ranks_[object] == objects_.self(); }

  std::priority_queue<Leaver> candidates_for(std::int32_t rank) const {
    std::vector<Leaver> candidates;
    candidates.reserve(new_ranks_.size());
    for (std::size_t object = 0; object < new_ranks_.size(); ++object)
      if (is_here(object)) candidates.push_back({gain(object, rank), object});
    if (rules_.must_save) std::erase_if(candidates, [](const Leaver& each) { return each.gain <= 0; });
    return std::priority_queue<Leaver>(std::less<Leaver>(), std::move(candidates));
  }

  /// Returns the bytes per second of load that an object saves if it leaves for a rank.
  double gain(std::size_t index, std::int32_t rank) const {
    const DiffusionObject& object = objects_.objects()[index];
    double bytes = 0;
    for (const DiffusionEdge& edge : object.edges) {
      const std::int32_t other = rank_of(edge);
      if (other == rank) bytes += edge.bytes;
      if (other == objects_.self()) bytes -= edge.bytes;
    }
    if (object.origin.rank == objects_.self()) bytes -= rules_.migration_cost;
    if (object.origin.rank == rank) bytes += rules_.migration_cost;
    return bytes / std::max<double>(object.load, std::numeric_limits<float>::min());
  }

  std::int32_t rank_of(const DiffusionEdge& edge) const {
    if (edge.rank != objects_.self()) return edge.rank;
    const std::size_t neighbor = objects_.neighbor_of(edge);
    return neighbor == LocalObjects::none ? edge.rank : new_ranks_[neighbor];
  }

  const LocalObjects& objects_;
  const DepartureRules& rules_;
  double surplus_;
  std::vector<std::int32_t> new_ranks_;
};

}  // namespace

std::vector<std::int32_t> choose_departures(const LocalObjects& objects, const DepartureRules& rules,
                                            std::vector<RankLink>& links) {
  std::vector<std::size_t> by_flow(links.size());
  std::iota(by_flow.begin(), by_flow.end(), std::size_t{0});
  std::ranges::stable_sort(by_flow, std::greater<>(), [&](std::size_t link) { return links[link].flow; });
  DepartureChoice departures(objects, rules);
  for (const std::size_t link : by_flow)
    if (links[link].flow > 0) departures.choose_for(links[link]);
  return departures.result();
}

}  // namespace plimsoll::balance
