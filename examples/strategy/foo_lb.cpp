// Example of a custom strategy, FooLB: copy this directory, rename the class, and write your own STRATEGY
// part.
//
// A strategy is called once per phase and decides where to place each object. Its input is an LDStats: the
// processors (`procs`), the objects with their loads in seconds (`obj_data`), their current processors
// (`from_proc`), and the communication between them (`comm_data`). Two views simplify the work. ProcArray
// computes when each processor finishes, and the average. ObjGraph contains the objects with their edges;
// set_new_pe() places an object, and convert_decisions() checks and writes the new placement.
//
// This strategy migrates objects from processors that finish later than `tolerance` times the average, the
// heaviest first. Each goes to the processor that finishes first, if that is then earlier than the old one
// finished.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <plimsoll/balance/plugin.hpp>

using namespace plimsoll::balance;

class FooLB : public Strategy {
 public:
  /// Description in `plimsoll strategies`, and the parameters that `--param` accepts. Limits that every
  /// strategy has (max_moves, max_memory_bytes, ...) are added automatically.
  static StrategyInfo info() {
    return {.name = "FooLB",
            .help = "migrates objects from late processors to early ones, heaviest first",
            .parameters = {{"tolerance", 1.05,
                            "load above which a processor is late, relative to the average (>= 1)"}},
            .make = make_strategy<FooLB>};
  }

  explicit FooLB(const Parameters& parameters)
      : Strategy("FooLB", parameters), tolerance_(parameters.get<double>("tolerance")) {
    if (tolerance_ < 1)
      throw plimsoll::support::usage_error("tolerance of FooLB is below 1", "use 1 or more");
  }

  void work(LDStats& stats) override;

  /// Score that work() minimises: the maximum load. Migrations that do not lower it are taken back.
  ScoreTerms score_terms() const override { return ScoreTerms::of_load(false); }

 private:
  double tolerance_;
};

void FooLB::work(LDStats& stats) {
  // ============================= INITIALIZATION =============================
  ProcArray processors(stats);
  processors.require_available();
  ObjGraph objects(stats, GraphEdges::ignore);  // GraphEdges::build is required for outgoing() and incoming()

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
    if (from.available && finish >= from.total_load) continue;  // unavailable processors must be vacated

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
