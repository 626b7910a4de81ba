#include "balance/strategies/comm_aware_refine_lb/comm_aware_refine_lb.hpp"

#include <algorithm>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/search/exchange.hpp"
#include "balance/search/rounding_error.hpp"
#include "balance/strategies/comm_aware_refine_lb/comm_moves.hpp"
#include "balance/strategies/delegate.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Minimum saving of a pass that justifies another one. A first pass may fill ranks and so block migrations
// that are possible later.
constexpr double worthwhile_share = 0.01;
constexpr int max_passes = 4;

/// Lowers the maximum finish time by swaps, which find improvements that single migrations miss.
std::vector<std::int32_t> level(const LDStats& stats, const ProcArray& procs,
                                const std::vector<std::int32_t>& placement, double limit_s) {
  ObjGraph graph(stats, GraphEdges::ignore);
  for (std::uint32_t object = 0; object < graph.n_vertices(); ++object)
    graph.set_new_pe(object, placement[object]);
  RankObjects ranks(graph, procs);
  level_by_exchange(ranks, limit_s);
  std::vector<std::int32_t> levelled;
  for (std::uint32_t object = 0; object < graph.n_vertices(); ++object)
    levelled.push_back(graph.new_pe(object));
  return levelled;
}

bool any_has_to_give(const CommPlacement& placement, std::size_t n_ranks) {
  for (std::uint32_t rank = 0; rank < n_ranks; ++rank)
    if (placement.available(rank) && placement.has_to_give(rank)) return true;
  return false;
}

}  // namespace

StrategyInfo CommAwareRefineLB::info() {
  return {"CommAwareRefineLB",
          "balances within a tolerance with few migrations; keeps communicating objects close together",
          {{"tolerance", 1.05, "target maximum load relative to the average (>= 1)"},
           {"per_message", 0.001, "cost per message in bytes, in addition to its size (>= 0)"}},
          make_strategy<CommAwareRefineLB>,
          {.numbers = false},
          {{"RefineCommLB"}, {"GreedyCommLB"}}};
}

CommAwareRefineLB::CommAwareRefineLB(const Parameters& parameters)
    : Strategy("CommAwareRefineLB", parameters),
      tolerance_(tolerance_of("CommAwareRefineLB", parameters)),
      per_message_(parameters.get<double>("per_message")) {
  if (per_message_ < 0)
    throw invalid_parameter("CommAwareRefineLB", "per_message", per_message_,
                            "set the cost per message in bytes, in addition to its size, e.g. 4000");
}

Score CommAwareRefineLB::score(const LDStats& stats, std::span<const std::int32_t> placement) const {
  Score score = communication_score(stats, placement, tolerance_);
  score.second += per_message_ * static_cast<double>(rank_traffic(stats, placement).off_rank_messages());
  return score;
}

void CommAwareRefineLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  const Affinity affinity(stats, per_message_);
  const double target_s = std::max(tolerance_ * procs.average_load(), lower_bound(stats, procs).time_s);
  // Use a slightly lower limit if the initial placement is within the target, so that rounding errors do not
  // lift it above the target. Otherwise ranks may finish exactly at the target.
  const double limit_s = target_s * (procs.max_load() > target_s ? 1 + rounding_error : 1 - rounding_error);

  CommPlacement shed(stats, procs, affinity, limit_s, stats.from_proc);
  for (int pass = 0; pass < max_passes && shed_to_partners(shed); ++pass) {
  }
  CommPlacement gathered(stats, procs, affinity, limit_s,
                         any_has_to_give(shed, procs.procs.size())
                             ? level(stats, procs, shed.placement(), limit_s)
                             : shed.placement());
  const double total = affinity.total_cost();
  for (int pass = 0; pass < max_passes; ++pass)
    if (gather_partners(gathered, rounding_error * total) <= worthwhile_share * total) break;
  stats.to_proc = gathered.placement();
  keep_start_unless_better(*this, procs, stats);
}

}  // namespace plimsoll::balance
