#include "balance/strategies/refine_lb/evacuate.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"

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

}  // namespace plimsoll::balance
