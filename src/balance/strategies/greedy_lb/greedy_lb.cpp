#include "balance/strategies/greedy_lb/greedy_lb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "balance/search/cluster_refinement.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/memory_bound.hpp"
#include "balance/search/placement.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/cluster_lb/packing.hpp"
#include "balance/strategies/greedy_lb/rank_queues.hpp"
#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t exact_per_proc = 24;

bool one_speed(const ProcArray& procs) {
  const auto first = std::ranges::find(procs.procs, true, &ProcInfo::available);
  return std::all_of(first, procs.procs.end(), [&](const ProcInfo& proc) {
    return !proc.available || proc.pe_speed == first->pe_speed;
  });
}

/// Places objects on available processors of equal speed. The chosen processor may finish later than the best
/// one, by about the load of the lightest object or less. Later objects even out the difference. Returns
/// false, and places nothing, if the load is almost 0.
bool place_nearly(std::span<const LoadedObject> objects, ObjGraph& graph, ProcArray& procs) {
  std::vector<ProcInfo*> available;
  std::vector<double> finish_s;
  for (ProcInfo& proc : procs.procs) {
    if (!proc.available) continue;
    available.push_back(&proc);
    finish_s.push_back(proc.total_load);
  }
  const double speed = available.front()->pe_speed;
  const double end_s = procs.average_load();  // upper bound on the earliest finish time
  const double width_s = std::max(objects.back().load / speed, end_s / static_cast<double>(objects.size()));
  if (!std::isnormal(width_s)) return false;  // smaller values have no finite inverse
  FinishBuckets ranks(std::move(finish_s), width_s, static_cast<std::size_t>(end_s / width_s) + 2);
  for (const LoadedObject& item : objects) {
    graph.set_new_pe(item.object, available[ranks.earliest()]->proc_id);
    ranks.raise_earliest(item.load / speed);
  }
  for (std::uint32_t rank = 0; rank < available.size(); ++rank)
    available[rank]->total_load = ranks.finish_s(rank);
  return true;
}

/// Places each object where it finishes first; all available processors have the same speed.
void place_exactly(std::span<const LoadedObject> objects, ObjGraph& graph, ProcArray& procs) {
  std::vector<LeastLoadedTree::Entry> available;
  double speed = 1;
  for (const ProcInfo& proc : procs.procs) {
    if (!proc.available) continue;
    available.push_back({proc.total_load, static_cast<std::uint32_t>(proc.proc_id)});
    speed = proc.pe_speed;
  }
  LeastLoadedTree ranks(available);
  for (const LoadedObject& item : objects) {
    ProcInfo& proc = procs.procs[ranks.earliest().rank];
    graph.set_new_pe(item.object, proc.proc_id);
    proc.total_load += item.load / speed;
    ranks.set_earliest(proc.total_load);
  }
}

/// Places each object where it finishes first, for any speeds.
void place_by_speed(std::span<const LoadedObject> objects, ObjGraph& graph, ProcArray& procs) {
  std::vector<EarliestFinishTree::Entry> available;
  for (const ProcInfo& proc : procs.procs)
    if (proc.available)
      available.push_back({proc.total_load, proc.pe_speed, static_cast<std::uint32_t>(proc.proc_id)});
  EarliestFinishTree ranks(available, objects.front().load);
  for (const LoadedObject& item : objects) {
    ProcInfo& proc = procs.procs[ranks.earliest(item.load).rank];
    graph.set_new_pe(item.object, proc.proc_id);
    proc.total_load += item.load / proc.pe_speed;
    ranks.set_earliest(proc.total_load, item.load);
  }
}

/// Keeps the heaviest objects on available processors while these finish by `latest_s`, and adds them to
/// total_load. Returns the other migratable objects, heaviest first.
std::vector<LoadedObject> keep_heaviest(const LDStats& stats, ProcArray& procs, double latest_s) {
  std::vector<LoadedObject> others;
  for (const LoadedObject& item : migratable_by_descending_load(stats)) {
    ProcInfo& proc = procs.procs[static_cast<std::size_t>(stats.from_proc[item.object])];
    const double finish_s = proc.total_load + item.load / proc.pe_speed;
    if (proc.available && finish_s <= latest_s) {
      proc.total_load = finish_s;
    } else {
      others.push_back(item);
    }
  }
  return others;
}

/// Returns whether the coarse order of this number of objects is sufficient for place_greedily().
bool coarse_order_suffices(std::size_t n_objects, const ProcArray& procs) {
  return n_objects > exact_per_proc * static_cast<std::size_t>(procs.n_available()) && one_speed(procs);
}

}  // namespace

void place_greedily(std::vector<LoadedObject> objects, ObjGraph& graph, ProcArray& procs) {
  if (objects.empty()) return;
  if (!one_speed(procs)) return place_by_speed(objects, graph, procs);
  if (coarse_order_suffices(objects.size(), procs)) {
    const std::size_t n_last = exact_per_proc * static_cast<std::size_t>(procs.n_available());
    const std::span<const LoadedObject> heavy = std::span(objects).first(objects.size() - n_last);
    if (place_nearly(heavy, graph, procs))
      objects = {objects.end() - static_cast<std::ptrdiff_t>(n_last), objects.end()};
    sort_by_descending_load(objects);
  }
  place_exactly(objects, graph, procs);
}

namespace {

constexpr double good_enough = 1 + 1e-4;

/// Places the objects, heaviest first, each on the processor where it finishes first. Then swaps single
/// objects until the last processor finishes within 10^-4 of the lower bound or no swap helps. Migrates
/// nearly all objects. Keeps the initial placement if it is as good. Balances several load dimensions, or
/// subphases, by recursive bisection of the ranks (split_vectors()) and swaps (level_vectors()). One thread;
/// O(n + P), except for the 24 lightest objects per processor: these, and processors of different speeds,
/// take O(n log P). Source: R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969 (longest
/// processing time first).
class GreedyLB : public Strategy {
 public:
  explicit GreedyLB(const Parameters& parameters)
      : Strategy("GreedyLB", parameters),
        minimum_kept_(parameters.get<double>("min")),
        maximum_kept_(parameters.get<double>("max")),
        adapt_kept_(parameters.get<bool>("auto")),
        limits_(parameters) {
    if (!(minimum_kept_ >= 0 && minimum_kept_ <= maximum_kept_))
      throw support::usage_error(
          fmt::format("invalid min {} and max {} of GreedyLB", minimum_kept_, maximum_kept_),
          "use 0 <= min <= max");
    constexpr std::array ways = {"scatter", "bcast", "pt2pt"};
    const auto& way = parameters.get<std::string>("strategy");
    if (std::ranges::find(ways, way) == ways.end())
      throw invalid_parameter("GreedyLB", "strategy", way, "use scatter, bcast or pt2pt");
  }

  void work(LDStats& stats) override {
    ProcArray procs(stats);
    procs.require_available();
    if (has_vector_loads(stats)) {
      place_vectors(procs, stats);
    } else {
      place_walltimes(procs, stats);
      if (limits_.limit_memory() && !stats.memory.empty() && !within_memory(limits_, stats, stats.to_proc))
        place_clusters(procs, stats);
    }
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(true); }

 private:
  void place_walltimes(ProcArray& procs, LDStats& stats) const {
    ObjGraph graph(stats, GraphEdges::ignore);
    const double start = procs.max_load();
    const double target = finish_time_bound(stats, procs).time_s * good_enough;
    const double average = procs.average_load();
    const double kept = average > 0 ? kept_share(start / average - 1) : 0;

    procs.reset_total_load();
    if (kept > 0) {
      place_greedily(keep_heaviest(stats, procs, kept * average), graph, procs);
    } else if (coarse_order_suffices(static_cast<std::size_t>(procs.n_migratable()), procs)) {
      place_greedily(migratable_by_coarse_load(stats), graph, procs);
    } else {
      place_greedily(migratable_by_descending_load(stats), graph, procs);
    }
    graph.convert_decisions(stats);
    double latest = procs.max_load();
    if (latest > target) {
      Placement placement(stats, procs, stats.to_proc);
      level_by_exchange(placement, target);
      latest = placement.max_finish();
      stats.to_proc = placement.assignment();
    }
    if (!procs.must_evacuate() && latest >= start * (1 - rounding_error)) stats.to_proc = stats.from_proc;
  }

  /// Places the objects within limits on memory, which place_walltimes() ignores: the objects of a shared
  /// block together (pack()). Uses the initial placement too, because a packing may fail. Both are refined.
  void place_clusters(const ProcArray& procs, LDStats& stats) const {
    const WorkGoal goal = WorkGoal::of_time(limits_);
    const double bound_s =
        std::max(finish_time_bound(stats, procs).time_s, max_work_lower_bound(stats, goal));
    const std::optional<std::vector<std::int32_t>> start = evacuated(stats, goal);
    if (!start) throw cannot_evacuate();
    const std::optional<std::vector<std::int32_t>> packed = pack(stats, goal, bound_s);
    stats.to_proc = refine_clusters(stats, goal, bound_s * good_enough, packed.value_or(*start));
    if (!packed) return;
    std::vector<std::int32_t> refined = refine_clusters(stats, goal, bound_s * good_enough, *start);
    if (score(stats, refined) <= score(stats, stats.to_proc)) stats.to_proc = std::move(refined);
  }

  void place_vectors(const ProcArray& procs, LDStats& stats) const {
    const VectorLoads loads(stats, procs);
    VectorRanks ranks(stats, procs, loads, split_vectors(stats, loads));
    level_vectors(ranks, loads.bound() * good_enough);
    stats.to_proc = ranks.placement();
    keep_start_unless_better(*this, procs, stats);
  }

  /// Returns the share of the average load that a processor may keep.
  double kept_share(double imbalance) const {
    return adapt_kept_ ? std::clamp(1 - imbalance, minimum_kept_, maximum_kept_) : minimum_kept_;
  }

  double minimum_kept_;
  double maximum_kept_;
  bool adapt_kept_;
  Limits limits_;
};

}  // namespace

StrategyInfo greedy_lb_info() {
  return {"GreedyLB",
          "best balance: assigns the heaviest objects first, each to the processor that finishes it first; "
          "migrates nearly all objects",
          {{"min", 0.0, "share of the average load that a processor keeps, heaviest objects first"},
           {"max", 1.004, "maximum share that a processor keeps (auto only)"},
           {"auto", false, "whether to keep the share 1 - imbalance, limited to the range from min to max"},
           {"strategy", "scatter",
            "method with which vt distributes the result: scatter, bcast or pt2pt; no effect in a single "
            "process"}},
          make_strategy<GreedyLB>,
          {.communication = false, .numbers = false, .subphases = true},
          {{"Greedy"}}};
}

}  // namespace plimsoll::balance
