#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/rounds/needed_migrations.hpp"
#include "balance/rounds/rank_objects.hpp"
#include "balance/search/positions.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/distributed_orb_lb/bisection.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::uint32_t n_supported_axes = 3;

BisectionRank bisection_rank(std::int32_t number, const LocalRank& rank) {
  return initial_objects<BisectionObject>(rank, [&](std::uint32_t position) {
    const LocalObject& object = rank.objects[position];
    BisectionObject result{object.number, object.load, {number, position}};
    std::ranges::copy(rank.position(position), result.position.begin());
    return result;
  });
}

/// Gives each rank a box of objects without a centre (bisect()).
class DistributedOrbLB : public DistributedStrategy {
 public:
  explicit DistributedOrbLB(const Parameters& parameters)
      : DistributedStrategy("DistributedOrbLB", parameters),
        tolerance_(tolerance_of("DistributedOrbLB", parameters)) {}

  ScoreTerms score_terms() const override { return ScoreTerms::of_communication(tolerance_); }

 private:
  bool keeps_shape() const override { return true; }

  /// Also throws Error (usage) if positions are missing, or have more than three axes.
  void place(RankRounds& rounds, std::span<LocalRank> ranks) override {
    const std::uint32_t n_axes = check_positions("DistributedOrbLB", rounds, ranks);
    if (n_axes > n_supported_axes)
      throw support::usage_error(
          fmt::format("positions have {} axes, but DistributedOrbLB supports {}", n_axes, n_supported_axes),
          "use OrbLB");
    std::vector<BisectionRank> held;
    held.reserve(ranks.size());
    for (std::size_t local = 0; local < ranks.size(); ++local)
      held.push_back(
          bisection_rank(rounds.first_local_rank() + static_cast<std::int32_t>(local), ranks[local]));
    bisect(rounds, held);
    tell_origins(rounds, std::span<const BisectionRank>(held), ranks);
  }

  double tolerance_;
};

}  // namespace

StrategyInfo distributed_orb_lb_info() {
  return {
      .name = "DistributedOrbLB",
      .help = "gives each rank a box of objects by recursive bisection of their positions, without a centre",
      .parameters = {{"tolerance", 1.05, "maximum load that counts as balanced, relative to the average"}},
      .make = make_strategy<DistributedOrbLB>,
      .needs = {.positions = true},
      .keeps_shape = true};
}

}  // namespace plimsoll::balance
