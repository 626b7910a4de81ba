// FooLB, a strategy of one's own: copy this folder, rename the class, and write your own STRATEGY part.
//
// A strategy is asked once a phase where each object shall be. It sees the phase as an LDStats: the
// processors
// (`procs`), the objects and their loads in seconds (`obj_data`), where they are (`from_proc`), and what they
// send to each other (`comm_data`). Two views of it do the tedious parts: ProcArray knows when each processor
// finishes and what the average is; ObjGraph has the objects with their edges, takes decisions by
// set_new_pe(), and checks and writes them by convert_decisions().
//
// This one takes objects off processors that finish later than `tolerance` times the average, the heaviest
// first, and gives each to the processor that finishes first, where that finishes earlier than the old one
// did.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <plimsoll/balance/plugin.hpp>

using namespace plimsoll::balance;

class FooLB : public Strategy {
 public:
  /// What `plimsoll strategies` shows, and which parameters `--param` takes. The limits that every strategy
  /// has (max_moves, max_memory_bytes, ...) come of themselves.
  static StrategyInfo info() {
    return {.name = "FooLB",
            .help = "move objects from late processors to early ones, the heaviest first",
            .parameters = {{"tolerance", 1.05, "a processor is late above this many times the average load"}},
            .make = make_strategy<FooLB>};
  }

  explicit FooLB(const Parameters& parameters)
      : Strategy("FooLB", parameters), tolerance_(parameters.get<double>("tolerance")) {
    if (tolerance_ < 1) throw plimsoll::support::usage_error("tolerance is below 1", "give 1 or more");
  }

  void work(LDStats& stats) override;

  /// What work() makes less: if limits leave so little of a decision that this is more than before, nothing
  /// moves.
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return balance_score(stats, placement);
  }

 private:
  double tolerance_;
};

void FooLB::work(LDStats& stats) {
  // ============================= INITIALIZATION =============================
  ProcArray processors(stats);
  processors.require_available();
  ObjGraph objects(stats, GraphEdges::ignore);  // GraphEdges::build for outgoing() and incoming()

  // ================================ STRATEGY ================================
  std::vector<std::uint32_t> heaviest_first(objects.n_vertices());
  std::iota(heaviest_first.begin(), heaviest_first.end(), 0u);
  std::ranges::stable_sort(heaviest_first, std::greater(),
                           [&](std::uint32_t object) { return objects.compute_load(object); });

  std::set<std::pair<double, std::int32_t>> earliest_first;  // the available processors
  for (const ProcInfo& processor : processors.procs)
    if (processor.available) earliest_first.insert({processor.total_load, processor.proc_id});

  const double late = tolerance_ * processors.average_load();
  for (const std::uint32_t object : heaviest_first) {
    if (!objects.migratable(object)) continue;
    ProcInfo& from = processors.procs[static_cast<std::size_t>(objects.current_pe(object))];
    if (from.available && from.total_load <= late) continue;

    ProcInfo& to = processors.procs[static_cast<std::size_t>(earliest_first.begin()->second)];
    const double load = objects.compute_load(object);
    const double finish = to.total_load + load / to.pe_speed;
    if (from.available && finish >= from.total_load) continue;  // an unavailable processor has to be left

    objects.set_new_pe(object, to.proc_id);
    earliest_first.erase({to.total_load, to.proc_id});
    to.total_load = finish;
    earliest_first.insert({to.total_load, to.proc_id});
    if (!from.available) continue;
    earliest_first.erase({from.total_load, from.proc_id});
    from.total_load -= load / from.pe_speed;
    earliest_first.insert({from.total_load, from.proc_id});
  }

  // ================================= CLEANUP ================================
  objects.convert_decisions(stats);
}

PLIMSOLL_STRATEGY_PLUGIN(FooLB)
