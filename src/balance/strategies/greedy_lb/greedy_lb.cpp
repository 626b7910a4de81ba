#include "balance/strategies/greedy_lb/greedy_lb.hpp"

#include <algorithm>
#include <map>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>

#include "balance/exchange.hpp"
#include "balance/least_loaded_tree.hpp"
#include "balance/load_sort.hpp"

namespace plimsoll::balance {

namespace {

constexpr double good_enough = 1 + 1e-4;
// Less than this is rounding, not improvement.
constexpr double least_gain = 1e-12;

/// Available processors of one speed, of which the one that finishes first is the best for any object.
struct SpeedClass {
  double speed;
  LeastLoadedTree ranks;
};

std::vector<SpeedClass> speed_classes(const ProcArray& procs) {
  std::map<double, std::vector<LeastLoadedTree::Entry>> by_speed;
  for (const ProcInfo& proc : procs.procs)
    if (proc.available)
      by_speed[proc.pe_speed].push_back({proc.total_load, static_cast<std::uint32_t>(proc.proc_id)});
  std::vector<SpeedClass> classes;
  for (const auto& [speed, ranks] : by_speed) classes.push_back({speed, LeastLoadedTree(ranks)});
  return classes;
}

/// Places all migratable objects on processors that have their overhead only; returns the greatest finish.
double place_heaviest_first(const LDStats& stats, ObjGraph& graph, ProcArray& procs) {
  procs.reset_total_load();
  std::vector<SpeedClass> classes = speed_classes(procs);
  double latest = procs.max_load();
  for (const std::uint32_t object : migratable_by_descending_load(stats)) {
    const double load = graph.compute_load(object);
    SpeedClass* best = &classes.front();
    double best_finish = best->ranks.least().time_s + load / best->speed;
    for (SpeedClass& other : classes) {
      const double finish = other.ranks.least().time_s + load / other.speed;
      if (finish < best_finish) {
        best = &other;
        best_finish = finish;
      }
    }
    graph.set_new_pe(object, static_cast<std::int32_t>(best->ranks.least().rank));
    best->ranks.set_least(best_finish);
    latest = std::max(latest, best_finish);
  }
  return latest;
}

}  // namespace

StrategyInfo GreedyLB::info() {
  return {
      "GreedyLB",
      "best balance: heaviest object first, each to the processor that finishes it first; moves nearly all",
      {},
      make_strategy<GreedyLB>};
}

void GreedyLB::work(LDStats& stats) {
  ProcArray procs(stats);
  procs.require_available();
  ObjGraph graph(stats, GraphEdges::ignore);
  const double start = procs.max_load();
  const double target = lower_bound(stats, procs).time_s * good_enough;

  double latest = place_heaviest_first(stats, graph, procs);
  if (latest > target) {
    RankObjects ranks(graph, procs);
    level_by_exchange(ranks, target);
    latest = ranks.max_finish();
  }
  if (!procs.has_evacuees() && latest >= start * (1 - least_gain)) {
    stats.to_proc = stats.from_proc;
    return;
  }
  graph.convert_decisions(stats);
}

}  // namespace plimsoll::balance
