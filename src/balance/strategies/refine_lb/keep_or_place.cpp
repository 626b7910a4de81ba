#include "balance/strategies/refine_lb/keep_or_place.hpp"

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/load_sort.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

void keep_or_place(LDStats& stats, double latest_s) {
  ProcArray procs(stats);
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
