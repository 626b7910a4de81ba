#include "balance/strategies/tempered_lb/clusters.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Disjoint sets of objects. Source: R. Tarjan, "Efficiency of a good but not linear set union algorithm"
/// (1975), with path halving.
class ObjectSets {
 public:
  explicit ObjectSets(std::size_t n_objects) : parent_(n_objects) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t object) {
    while (parent_[object] != object) object = parent_[object] = parent_[parent_[object]];
    return object;
  }
  /// Unites two sets, which their first objects represent.
  void unite(std::uint32_t one, std::uint32_t other) { parent_[std::max(one, other)] = std::min(one, other); }
  std::vector<ObjectCluster> clusters() {
    std::vector<ObjectCluster> of_root(parent_.size());
    for (std::uint32_t object = 0; object < parent_.size(); ++object) of_root[find(object)].push_back(object);
    std::erase_if(of_root, [](const ObjectCluster& cluster) { return cluster.empty(); });
    return of_root;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

void unite_by_block(const WorkRank& rank, ObjectSets& sets) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> first_of_block;
  for (std::uint32_t object = 0; object < rank.objects.size(); ++object) {
    const WorkBlock& block = rank.objects[object].block;
    if (!block.exists()) continue;
    const auto [first, is_new] = first_of_block.emplace(block.key(), object);
    if (!is_new) sets.unite(first->second, object);
  }
}

void unite_by_communication(const WorkRank& rank, double max_load, ObjectSets& sets) {
  struct LocalEdge {
    double bytes;
    std::uint32_t object;
    std::uint32_t other;
  };
  const LocalIndex index(rank);
  std::vector<LocalEdge> edges;
  std::vector<double> load(rank.objects.size());
  for (std::uint32_t object = 0; object < rank.objects.size(); ++object) {
    load[object] = rank.objects[object].load;
    for (const WorkEdge& edge : rank.objects[object].edges) {
      const std::size_t other = edge.is_fixed != 0 ? LocalIndex::none : index.find(edge.other);
      if (other == LocalIndex::none || other <= object) continue;
      edges.push_back({edge.sent + edge.received, object, static_cast<std::uint32_t>(other)});
    }
  }
  std::ranges::sort(edges, {},
                    [](const LocalEdge& edge) { return std::tuple(-edge.bytes, edge.object, edge.other); });
  for (const LocalEdge& edge : edges) {
    const std::uint32_t one = sets.find(edge.object);
    const std::uint32_t other = sets.find(edge.other);
    if (one == other || edge.bytes <= 0 || load[one] + load[other] > max_load) continue;
    load[std::min(one, other)] = load[one] + load[other];
    sets.unite(one, other);
  }
}

}  // namespace

std::vector<ObjectCluster> clusters_of(const WorkRank& rank, ClusterKind kind, double max_load) {
  ObjectSets sets(rank.objects.size());
  if (kind == ClusterKind::blocks) unite_by_block(rank, sets);
  if (kind == ClusterKind::communication) unite_by_communication(rank, max_load, sets);
  return sets.clusters();
}

}  // namespace plimsoll::balance
