#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

#include "balance/rounds/needed_migrations.hpp"
#include "balance/rounds/rank_objects.hpp"
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

DiffusionEdge diffusion_edge(const LocalEdge& edge) {
  return {edge.neighbor, edge.bytes + bytes_per_message * edge.messages, edge.rank, edge.stays};
}

DiffusionRank diffusion_rank(std::int32_t number, const LocalRank& rank) {
  return initial_objects<DiffusionObject>(rank, [&](std::uint32_t position) {
    const LocalObject& object = rank.objects[position];
    DiffusionObject result{object.number, object.load, {number, position}};
    std::ranges::transform(rank.edges_of(position), std::back_inserter(result.edges), diffusion_edge);
    return result;
  });
}

/// Lets load flow between ranks that communicate (balance_by_diffusion()). Balances walltime, and keeps
/// communication local.
class DiffusionLB : public DistributedStrategy {
 public:
  explicit DiffusionLB(const Parameters& parameters) : DistributedStrategy("DiffusionLB", parameters) {
    options_.target = tolerance_of("DiffusionLB", parameters);
    options_.max_neighbors = static_cast<std::size_t>(positive_number(parameters, "neighbors"));
    options_.passes = positive_number(parameters, "passes");
    options_.migration_cost = parameters.get<double>("migration_cost");
    if (!(options_.migration_cost >= 0))
      throw invalid_parameter("DiffusionLB", "migration_cost", options_.migration_cost,
                              "set the cost relative to the mean communication of an object, e.g. 0.1");
  }

  ScoreTerms score_terms() const override {
    ScoreTerms terms = ScoreTerms::of_communication(options_.target, false);
    terms.per_migration = options_.migration_cost;
    return terms;
  }

 private:
  void place(RankRounds& rounds, std::span<LocalRank> ranks) override {
    std::vector<DiffusionRank> held;
    held.reserve(ranks.size());
    for (std::size_t local = 0; local < ranks.size(); ++local)
      held.push_back(
          diffusion_rank(rounds.first_local_rank() + static_cast<std::int32_t>(local), ranks[local]));
    balance_by_diffusion(rounds, options_, held);
    tell_origins(rounds, std::span<const DiffusionRank>(held), ranks);
  }

  DiffusionOptions options_;
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
