#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "balance/rounds/simulated_rounds.hpp"
#include "balance/rounds/traffic_remark.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/positions.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/distributed_orb_lb/bisection.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::uint32_t n_supported_axes = 3;

std::vector<BisectionRank> bisection_ranks(const LDStats& stats, const ProcArray& procs) {
  std::vector<BisectionRank> ranks;
  ranks.reserve(procs.procs.size());
  for (const ProcInfo& proc : procs.procs)
    ranks.push_back({{}, proc.overhead, proc.pe_speed, proc.available});
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    const std::int32_t rank = stats.from_proc[object];
    BisectionObject local{stats.numbers.empty() ? object : stats.numbers[object], stats.load_s(object), rank,
                          object};
    std::ranges::copy(stats.position(object), local.position.begin());
    ranks[at(rank)].objects.push_back(local);
  }
  for (BisectionRank& rank : ranks) std::ranges::sort(rank.objects, {}, &BisectionObject::number);
  return ranks;
}

/// Gives each rank a box of objects without a centre (bisect()). Ranks are simulated on all processors.
class DistributedOrbLB : public Strategy {
 public:
  explicit DistributedOrbLB(const Parameters& parameters)
      : Strategy("DistributedOrbLB", parameters), tolerance_(tolerance_of("DistributedOrbLB", parameters)) {}

  /// Also throws Error (usage) if objects have to be placed but positions are missing, or have more than
  /// three axes.
  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    stats.to_proc = stats.from_proc;
    if (procs.n_migratable() == 0) return;
    check_positions("DistributedOrbLB", stats);
    if (stats.n_axes > n_supported_axes)
      throw support::usage_error(fmt::format("positions have {} axes, but DistributedOrbLB supports {}",
                                             stats.n_axes, n_supported_axes),
                                 "use OrbLB");
    std::vector<BisectionRank> ranks = bisection_ranks(stats, procs);
    SimulatedRounds rounds(stats.count());
    bisect(rounds, ranks);
    traffic_ = rounds.traffic();
    n_ranks_ = stats.count();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      for (const BisectionObject& object : ranks[rank].objects)
        stats.to_proc[object.index] = static_cast<std::int32_t>(rank);
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_communication(tolerance_); }
  std::vector<Remark> remarks() const override { return {traffic_remark(traffic_, n_ranks_)}; }

 private:
  double tolerance_;
  std::int32_t n_ranks_ = 0;
  RoundTraffic traffic_;
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
