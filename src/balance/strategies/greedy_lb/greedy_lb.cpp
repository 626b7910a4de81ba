#include "balance/strategies/greedy_lb/greedy_lb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/search/exchange.hpp"
#include "balance/search/rounding_error.hpp"
#include "balance/strategies/delegate.hpp"
#include "balance/strategies/greedy_lb/place_greedily.hpp"
#include "balance/vector_loads/level_vectors.hpp"
#include "balance/vector_loads/split_vectors.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr double good_enough = 1 + 1e-4;

}  // namespace

StrategyInfo GreedyLB::info() {
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
          {.communication = false, .numbers = false},
          {{"Greedy"}}};
}

GreedyLB::GreedyLB(const Parameters& parameters)
    : Strategy("GreedyLB", parameters),
      minimum_kept_(parameters.get<double>("min")),
      maximum_kept_(parameters.get<double>("max")),
      adapt_kept_(parameters.get<bool>("auto")) {
  if (!(minimum_kept_ >= 0 && minimum_kept_ <= maximum_kept_))
    throw support::usage_error(
        fmt::format("invalid min {} and max {} of GreedyLB", minimum_kept_, maximum_kept_),
        "use 0 <= min <= max");
  constexpr std::array ways = {"scatter", "bcast", "pt2pt"};
  const auto& way = parameters.get<std::string>("strategy");
  if (std::ranges::find(ways, way) == ways.end())
    throw invalid_parameter("GreedyLB", "strategy", way, "use scatter, bcast or pt2pt");
}

double GreedyLB::kept_share(double imbalance) const {
  return adapt_kept_ ? std::clamp(1 - imbalance, minimum_kept_, maximum_kept_) : minimum_kept_;
}

void GreedyLB::work(LDStats& stats) {
  ProcArray procs(stats);
  procs.require_available();
  if (!stats.more_loads.empty()) {
    place_vectors(procs, stats);
  } else {
    place_walltimes(procs, stats);
  }
}

void GreedyLB::place_vectors(const ProcArray& procs, LDStats& stats) const {
  const VectorLoads loads(stats, procs);
  VectorRanks ranks(stats, procs, loads, split_vectors(stats, procs, loads));
  level_vectors(ranks, loads.bound() * good_enough);
  stats.to_proc = ranks.take_placement();
  keep_start_unless_better(*this, procs, stats);
}

void GreedyLB::place_walltimes(ProcArray& procs, LDStats& stats) const {
  ObjGraph graph(stats, GraphEdges::ignore);
  const double start = procs.max_load();
  const double target = lower_bound(stats, procs).time_s * good_enough;
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
  double latest = procs.max_load();
  if (latest > target) {
    RankObjects ranks(graph, procs);
    level_by_exchange(ranks, target);
    latest = ranks.max_finish();
  }
  if (!procs.must_evacuate() && latest >= start * (1 - rounding_error)) {
    stats.to_proc = stats.from_proc;
    return;
  }
  graph.convert_decisions(stats);
}

}  // namespace plimsoll::balance
