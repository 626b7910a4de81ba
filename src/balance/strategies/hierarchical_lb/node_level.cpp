#include "balance/strategies/hierarchical_lb/node_level.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/strategies/delegate.hpp"
#include "balance/strategies/greedy_lb/place_greedily.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

std::size_t index(std::int32_t number) {
  return static_cast<std::size_t>(number);
}

/// Returns the nodes as processors. Their background load includes the load of non-migratable objects on
/// their ranks.
LDStats node_stats(const LDStats& stats, const Nodes& nodes) {
  const ProcArray procs(stats);
  LDStats result;
  for (const std::vector<std::int32_t>& ranks : nodes.ranks) {
    double speed = 0;
    double work = 0;
    for (const std::int32_t rank : ranks) {
      const ProcInfo& proc = procs.procs[index(rank)];
      if (!proc.available) continue;
      speed += proc.pe_speed;
      work += proc.overhead * proc.pe_speed;
    }
    ProcStats node;
    node.available = speed > 0;
    if (node.available) {
      node.pe_speed = speed;
      node.bg_walltime = static_cast<LBRealType>(work / speed);
    }
    result.procs.push_back(node);
  }
  result.obj_data = stats.obj_data;
  for (LDObjData& object : result.obj_data)
    if (!object.migratable) object.walltime = 0;
  result.from_proc.reserve(stats.from_proc.size());
  for (const std::int32_t rank : stats.from_proc) result.from_proc.push_back(nodes.node_of[index(rank)]);
  return result;
}

/// Removes the excess load of `proc`, and returns the removed objects.
std::vector<LoadedObject> give_away(std::vector<LoadedObject> objects, ProcInfo& proc, double keep_s,
                                    const LeavingOrder& order) {
  order(objects);
  std::vector<LoadedObject> given;
  std::vector<LoadedObject> kept;
  for (const LoadedObject& item : objects) {
    const bool fits = !proc.available || proc.total_load - item.load / proc.pe_speed >= keep_s;
    (fits ? given : kept).push_back(item);
    if (fits) proc.total_load -= item.load / proc.pe_speed;
  }
  const double excess = (proc.total_load - keep_s) * proc.pe_speed;
  if (!proc.available || excess <= 0) return given;
  const auto lightest_enough = std::ranges::min_element(
      kept, {}, [&](const LoadedObject& item) { return std::pair(item.load < excess, item.load); });
  if (lightest_enough == kept.end() || lightest_enough->load < excess) return given;
  given.push_back(*lightest_enough);
  proc.total_load -= lightest_enough->load / proc.pe_speed;
  return given;
}

}  // namespace

Nodes nodes_of(const LDStats& stats) {
  Nodes nodes;
  std::map<std::int32_t, std::int32_t> number_of;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
    auto node = static_cast<std::int32_t>(nodes.ranks.size());
    const std::int32_t host = stats.procs[index(rank)].node;
    if (host >= 0) node = number_of.emplace(host, node).first->second;
    if (index(node) == nodes.ranks.size()) nodes.ranks.emplace_back();
    nodes.ranks[index(node)].push_back(rank);
    nodes.node_of.push_back(node);
  }
  return nodes;
}

std::vector<std::int32_t> place_on_nodes(const LDStats& stats, const Nodes& nodes, double keep,
                                         double allowed, const LeavingOrder& order) {
  LDStats of_nodes = node_stats(stats, nodes);
  ProcArray procs(of_nodes);
  ObjGraph graph(of_nodes, GraphEdges::ignore);
  const double keep_s = keep * procs.average_load();
  const auto gives = [&](const ProcInfo& node) { return !node.available || node.total_load > keep_s; };

  std::vector<std::vector<LoadedObject>> givers(nodes.ranks.size());
  for (std::uint32_t object = 0; object < graph.n_vertices(); ++object)
    if (graph.migratable(object) && gives(procs.procs[index(graph.current_pe(object))]))
      givers[index(graph.current_pe(object))].push_back({graph.compute_load(object), object});
  std::vector<LoadedObject> given;
  for (std::size_t node = 0; node < givers.size(); ++node)
    if (!givers[node].empty())
      std::ranges::copy(give_away(std::move(givers[node]), procs.procs[node], keep_s, order),
                        std::back_inserter(given));
  sort_by_descending_load(given);
  place_greedily(std::move(given), graph, procs);
  graph.convert_decisions(of_nodes);

  const double allowed_s = std::max(allowed * procs.average_load(), lower_bound(of_nodes, procs).time_s);
  if (procs.max_load() <= allowed_s) return std::move(of_nodes.to_proc);
  std::vector<std::int32_t> greedy = of_nodes.to_proc;
  delegate_to_refinement(of_nodes, allowed);
  return balance_score(of_nodes, of_nodes.to_proc) < balance_score(of_nodes, greedy) ? of_nodes.to_proc
                                                                                     : greedy;
}

}  // namespace plimsoll::balance
