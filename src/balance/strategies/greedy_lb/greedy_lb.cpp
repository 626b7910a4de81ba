#include "balance/strategies/greedy_lb/greedy_lb.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>

#include "balance/exchange.hpp"
#include "balance/load_sort.hpp"
#include "balance/strategies/greedy_lb/finish_buckets.hpp"
#include "balance/strategies/greedy_lb/least_loaded_tree.hpp"

namespace plimsoll::balance {

namespace {

constexpr double good_enough = 1 + 1e-4;
// Less than this is rounding, not improvement.
constexpr double least_gain = 1e-12;

// So many of the lightest objects of a processor go exactly to where they finish first; with the others it is
// enough to be near.
constexpr std::size_t exact_per_proc = 24;

/// Places the heaviest objects on available processors, all of one speed, and takes them off `objects`. A
/// processor is chosen to within the load of the heaviest object left, which evens that out.
void place_bulk(std::span<const std::uint32_t>& objects, ObjGraph& graph, ProcArray& procs, double bound_s) {
  const std::size_t n_exact = exact_per_proc * static_cast<std::size_t>(procs.n_available());
  if (objects.size() <= n_exact) return;
  const std::size_t n_bulk = objects.size() - n_exact;

  std::vector<ProcInfo*> available;
  std::vector<double> finish_s;
  for (ProcInfo& proc : procs.procs) {
    if (!proc.available) continue;
    available.push_back(&proc);
    finish_s.push_back(proc.total_load);
  }
  const double speed = available.front()->pe_speed;
  const double width_s =
      std::max(graph.compute_load(objects[n_bulk]) / speed, bound_s / static_cast<double>(n_bulk));
  if (!std::isnormal(width_s)) return;  // what is smaller has no finite inverse
  FinishBuckets ranks(std::move(finish_s), width_s, static_cast<std::size_t>(bound_s / width_s) + 2);
  for (const std::uint32_t object : objects.first(n_bulk)) {
    graph.set_new_pe(object, available[ranks.least()]->proc_id);
    ranks.raise_least(graph.compute_load(object) / speed);
  }
  for (std::uint32_t rank = 0; rank < available.size(); ++rank)
    available[rank]->total_load = ranks.finish_s(rank);
  objects = objects.subspan(n_bulk);
}

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

/// Places each object, heaviest first, where it finishes first.
void place_exactly(std::span<const std::uint32_t> objects, ObjGraph& graph, ProcArray& procs) {
  std::vector<SpeedClass> classes = speed_classes(procs);
  for (const std::uint32_t object : objects) {
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
    ProcInfo& proc = procs.procs[best->ranks.least().rank];
    graph.set_new_pe(object, proc.proc_id);
    proc.total_load = best_finish;
    best->ranks.set_least(best_finish);
  }
}

bool one_speed(const ProcArray& procs) {
  std::optional<double> speed;
  for (const ProcInfo& proc : procs.procs) {
    if (!proc.available) continue;
    if (speed && *speed != proc.pe_speed) return false;
    speed = proc.pe_speed;
  }
  return true;
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
  const double bound = lower_bound(stats, procs).time_s;
  const double target = bound * good_enough;

  const std::vector<std::uint32_t> sorted = migratable_by_descending_load(stats);
  std::span<const std::uint32_t> objects = sorted;
  procs.reset_total_load();
  if (one_speed(procs)) place_bulk(objects, graph, procs, bound);
  place_exactly(objects, graph, procs);
  double latest = procs.max_load();
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
