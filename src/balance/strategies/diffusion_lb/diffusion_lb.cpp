#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "balance/rounds/simulated_rounds.hpp"
#include "balance/rounds/traffic_remark.hpp"
#include "balance/search/affinity.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/diffusion_lb/diffusion.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Bytes that a message counts for in addition to its size, so that edges without bytes matter a little.
constexpr double bytes_per_message = 0.001;

/// Returns an integer parameter that is at least 1. Throws Error (usage) otherwise.
std::int32_t positive_number(const Parameters& parameters, const std::string& name) {
  const auto value = parameters.get<std::int64_t>(name);
  constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max();
  if (value < 1 || value > max)
    throw invalid_parameter("DiffusionLB", name, value, fmt::format("use 1 to {}", max));
  return static_cast<std::int32_t>(value);
}

std::uint64_t number_in(const LDStats& stats, std::uint32_t object) {
  return stats.numbers.empty() ? object : stats.numbers[object];
}

/// Returns the communication of an object with others, sorted by neighbour.
std::vector<DiffusionEdge> edges_of(std::uint32_t object, const Affinity& affinity, const LDStats& stats) {
  const auto partners = affinity.partners(object);
  std::vector<DiffusionEdge> edges;
  edges.reserve(partners.size());
  for (const Affinity::Partner& partner : partners) {
    if (!partner.end.is_object()) continue;
    const std::uint32_t neighbor = partner.end.index();
    edges.push_back({number_in(stats, neighbor), partner.cost, stats.from_proc[neighbor]});
  }
  std::ranges::sort(edges, {}, &DiffusionEdge::neighbor);
  return edges;
}

std::vector<DiffusionRank> diffusion_ranks(const LDStats& stats, const ProcArray& procs) {
  std::vector<DiffusionRank> ranks;
  ranks.reserve(procs.procs.size());
  for (const ProcInfo& proc : procs.procs)
    ranks.push_back({{}, proc.overhead, proc.pe_speed, proc.available, stats.procs[at(proc.proc_id)].node});
  const Affinity affinity(stats, bytes_per_message);
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    const std::int32_t rank = stats.from_proc[object];
    ranks[at(rank)].objects.push_back(
        {number_in(stats, object), stats.load_s(object), rank, object, edges_of(object, affinity, stats)});
  }
  for (DiffusionRank& rank : ranks) std::ranges::sort(rank.objects, {}, &DiffusionObject::number);
  return ranks;
}

/// Lets load flow between ranks that communicate (balance_by_diffusion()). Ranks are simulated on all
/// processors. Balances walltime, and keeps communication local.
class DiffusionLB : public Strategy {
 public:
  explicit DiffusionLB(const Parameters& parameters) : Strategy("DiffusionLB", parameters) {
    options_.target = tolerance_of("DiffusionLB", parameters);
    options_.max_neighbors = static_cast<std::size_t>(positive_number(parameters, "neighbors"));
    options_.passes = positive_number(parameters, "passes");
    options_.migration_cost = parameters.get<double>("migration_cost");
    if (!(options_.migration_cost >= 0))
      throw invalid_parameter("DiffusionLB", "migration_cost", options_.migration_cost,
                              "set the cost relative to the mean communication of an object, e.g. 0.1");
  }

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    stats.to_proc = stats.from_proc;
    if (procs.n_migratable() == 0) return;
    std::vector<DiffusionRank> ranks = diffusion_ranks(stats, procs);
    SimulatedRounds rounds(stats.count());
    balance_by_diffusion(rounds, options_, ranks);
    traffic_ = rounds.traffic();
    n_ranks_ = stats.count();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      for (const DiffusionObject& object : ranks[rank].objects)
        stats.to_proc[object.index] = static_cast<std::int32_t>(rank);
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override {
    ScoreTerms terms = ScoreTerms::of_communication(options_.target, false);
    terms.per_migration = options_.migration_cost;
    return terms;
  }

  std::vector<Remark> remarks() const override { return {traffic_remark(traffic_, n_ranks_)}; }

 private:
  DiffusionOptions options_;
  std::int32_t n_ranks_ = 0;
  RoundTraffic traffic_;
};

}  // namespace

StrategyInfo diffusion_lb_info() {
  return {.name = "DiffusionLB",
          .help = "balances without a centre: load flows between ranks that communicate",
          .parameters = {{"tolerance", 1.05, "target maximum load relative to the average (>= 1)"},
                         {"neighbors", std::int64_t{16},
                          "maximum number of ranks with which a rank likes to exchange objects"},
                         {"passes", std::int64_t{4}, "maximum number of times that flows are computed"},
                         {"migration_cost", 0.3,
                          "cost of a migration relative to the mean communication of an object (>= 0)"}},
          .make = make_strategy<DiffusionLB>,
          .needs = {},
          .trade_off = TradeOff::by_tolerance()};
}

}  // namespace plimsoll::balance
