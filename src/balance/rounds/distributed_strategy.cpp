#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/registry/limited_strategy.hpp"
#include "balance/rounds/local_ranks.hpp"
#include "balance/rounds/needed_migrations.hpp"
#include "balance/rounds/simulated_rounds.hpp"
#include "balance/rounds/traffic_remark.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns the number of migratable objects of all ranks. Throws Error (usage) if no rank is available for
/// them. Collective.
double count_objects(RankRounds& rounds, std::span<const LocalRank> ranks) {
  std::vector<double> values(ranks.size());
  std::ranges::transform(ranks, values.begin(),
                         [](const LocalRank& rank) { return static_cast<double>(rank.objects.size()); });
  const double n_objects = rounds.sum(values);
  std::ranges::transform(ranks, values.begin(), [](const LocalRank& rank) { return rank.available ? 1 : 0; });
  if (rounds.maximum(values) < 1 && n_objects > 0)
    throw support::usage_error(fmt::format("all {} processors are unavailable: {} objects cannot be placed",
                                           rounds.ranks(), n_objects));
  return n_objects;
}

}  // namespace

void DistributedStrategy::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  stats.to_proc = stats.from_proc;
  if (stats.procs.empty()) return;
  std::vector<LocalRank> ranks = local_ranks_of(stats, needs());
  prepare(stats);
  SimulatedRounds rounds(stats.count());
  work(rounds, ranks);
  ObjGraph graph(stats, GraphEdges::ignore);
  for (const LocalRank& rank : ranks)
    for (const LocalObject& object : rank.objects) graph.set_new_pe(object.index, object.new_rank);
  graph.convert_decisions(stats);
}

void DistributedStrategy::work(RankRounds& rounds, std::span<LocalRank> ranks) {
  n_ranks_ = rounds.ranks();
  if (count_objects(rounds, ranks) > 0) {
    place(rounds, ranks);
    keep_needed_migrations(rounds, score_terms(), keeps_shape(), ranks);
  }
  traffic_ = rounds.traffic();
}

void DistributedStrategy::limit(RankRounds& rounds, std::int64_t max_moves, std::span<LocalRank> ranks) {
  limit_migrations(rounds, score_terms(), max_moves, ranks);
  if (is_harmful(rounds, ranks)) keep_all_objects(rounds, ranks);
}

std::vector<Remark> DistributedStrategy::remarks() const {
  return {traffic_remark(traffic_, n_ranks_)};
}

DistributedStrategy* distributed_part(Strategy& strategy) {
  if (auto* const limited = dynamic_cast<LimitedStrategy*>(&strategy))
    return limited->has_limits() ? nullptr : dynamic_cast<DistributedStrategy*>(&limited->inner());
  return dynamic_cast<DistributedStrategy*>(&strategy);
}

}  // namespace plimsoll::balance
