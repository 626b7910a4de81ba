#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/rounds/simulated_rounds.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/tempered_lb/tempered.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr support::Named<TransferCriterion> transfer_criteria[] = {
    {"Grapevine", TransferCriterion::grapevine}, {"ModifiedGrapevine", TransferCriterion::relaxed}};
constexpr support::Named<TransferProbability> probabilities[] = {
    {"Original", TransferProbability::by_average},
    {"NormByMax", TransferProbability::by_maximum},
    {"NormByMaxExcludeIneligible", TransferProbability::among_eligible}};
constexpr support::Named<ObjectOrder> object_orders[] = {{"Arbitrary", ObjectOrder::arbitrary},
                                                         {"ElmID", ObjectOrder::by_id},
                                                         {"FewestMigrations", ObjectOrder::fewest_migrations},
                                                         {"SmallObjects", ObjectOrder::small_objects},
                                                         {"LargestObjects", ObjectOrder::largest_objects}};

/// Returns an integer parameter within a range. Throws Error (usage) otherwise.
std::int64_t number_of(const Parameters& parameters, const std::string& name, std::int64_t min,
                       std::int64_t max) {
  const auto value = parameters.get<std::int64_t>(name);
  if (value < min || value > max)
    throw invalid_parameter("TemperedLB", name, value, fmt::format("use {} to {}", min, max));
  return value;
}

constexpr std::int64_t max_fanout = 65'535;
constexpr std::int64_t max_gossip_rounds = 255;

/// Maximum fanout that is computed: messages per rank must not grow with the number of ranks.
constexpr double max_computed_fanout = 64;

/// Sets fanout and rounds to the parameters, if set, and otherwise to values with which a message can reach
/// all ranks: fanout^rounds is at least their number, unless the fanout is at its maximum. Source:
/// knowledge=Log of vt.
void set_reach(std::int64_t fanout, std::int64_t rounds, std::int32_t ranks, TemperedOptions& options) {
  constexpr double rounding = 1e-9;  // so that 125^(1/3) is not rounded up
  const double n = std::max(ranks, 2);
  if (rounds == 0)
    rounds = fanout >= 2 ? static_cast<std::int64_t>(
                               std::ceil(std::log(n) / std::log(static_cast<double>(fanout)) - rounding))
                         : std::lround(std::sqrt(std::log2(n)));
  rounds = std::clamp<std::int64_t>(rounds, 1, max_gossip_rounds);
  if (fanout == 0)
    fanout = static_cast<std::int64_t>(
        std::min(max_computed_fanout, std::ceil(std::pow(n, 1.0 / static_cast<double>(rounds)) - rounding)));
  options.fanout = static_cast<std::int32_t>(std::max<std::int64_t>(fanout, 1));
  options.rounds = static_cast<std::int32_t>(rounds);
}

/// Balances without a centre: underloaded ranks make themselves known by gossip, and overloaded ranks offer
/// them objects (balance_by_gossip()). Ranks are simulated on all processors. Balances walltime.
class TemperedLB : public Strategy {
 public:
  explicit TemperedLB(const Parameters& parameters)
      : Strategy("TemperedLB", parameters),
        fanout_(number_of(parameters, "fanout", 0, max_fanout)),
        rounds_(number_of(parameters, "rounds", 0, max_gossip_rounds)) {
    options_.iterations = static_cast<std::int32_t>(number_of(parameters, "iters", 1, 10'000));
    options_.trials = static_cast<std::int32_t>(number_of(parameters, "trials", 1, 10'000));
    options_.criterion = support::value_of(transfer_criteria, parameters.get<std::string>("criterion"),
                                           "criterion of TemperedLB");
    options_.probability =
        support::value_of(probabilities, parameters.get<std::string>("cmf"), "cmf of TemperedLB");
    options_.order =
        support::value_of(object_orders, parameters.get<std::string>("ordering"), "ordering of TemperedLB");
    options_.max_known =
        static_cast<std::size_t>(number_of(parameters, "max_known", 1, std::int64_t{1} << 30));
    options_.admission = parameters.get<bool>("admission");
    options_.rollback = parameters.get<bool>("rollback");
    options_.target = tolerance_of("TemperedLB", parameters);
    options_.seed = static_cast<std::uint64_t>(parameters.get<std::int64_t>("seed"));
  }

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    ObjGraph graph(stats, GraphEdges::ignore);
    if (procs.n_migratable() == 0) return graph.convert_decisions(stats);
    const std::vector<std::uint32_t> by_number = objects_by_number(stats);
    std::vector<TemperedRank> ranks;
    ranks.reserve(procs.procs.size());
    for (const ProcInfo& proc : procs.procs)
      ranks.push_back({{}, proc.overhead, proc.pe_speed, proc.available});
    for (std::size_t id = 0; id < by_number.size(); ++id) {
      const std::uint32_t object = by_number[id];
      if (graph.migratable(object))
        ranks[at(graph.current_pe(object))].objects.push_back({graph.compute_load(object), id});
    }
    TemperedOptions options = options_;
    set_reach(fanout_, rounds_, stats.count(), options);
    SimulatedRounds rounds(stats.count());
    balance_by_gossip(rounds, options, ranks);
    traffic_ = rounds.traffic();
    n_ranks_ = stats.count();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      for (const RankObject& object : ranks[rank].objects)
        graph.set_new_pe(by_number[object.id], static_cast<std::int32_t>(rank));
    graph.convert_decisions(stats);
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(false); }

  std::vector<Remark> remarks() const override {
    const double ranks = std::max(1, n_ranks_);
    return {{"rounds", static_cast<double>(traffic_.rounds),
             fmt::format("{} rounds with {:.1f} messages and {:.0f} bytes per rank, and {} reductions",
                         traffic_.rounds, static_cast<double>(traffic_.messages) / ranks,
                         static_cast<double>(traffic_.bytes) / ranks, traffic_.reductions)}};
  }

 private:
  /// Returns the objects by ascending number, so that the result does not depend on the order of the data.
  static std::vector<std::uint32_t> objects_by_number(const LDStats& stats) {
    std::vector<std::uint32_t> objects(stats.obj_data.size());
    std::iota(objects.begin(), objects.end(), 0U);
    if (!stats.numbers.empty())
      std::ranges::stable_sort(objects, {}, [&](std::uint32_t object) { return stats.numbers[object]; });
    return objects;
  }

  TemperedOptions options_;
  std::int64_t fanout_;
  std::int64_t rounds_;
  std::int32_t n_ranks_ = 0;
  RoundTraffic traffic_;
};

}  // namespace

StrategyInfo tempered_lb_info() {
  return {
      .name = "TemperedLB",
      .help = "balances without a centre: ranks exchange objects with ranks that they hear of by gossip",
      .parameters =
          {{"fanout", std::int64_t{0},
            "receivers of each message (0: so many that the rounds can reach all ranks, up to 64)"},
           {"rounds", std::int64_t{0}, "rounds of messages per iteration (0: by the number of ranks)"},
           {"iters", std::int64_t{8}, "iterations of gossip and transfer", {"n_iterations"}},
           {"trials", std::int64_t{1}, "number of starts from the initial placement"},
           {"criterion", "ModifiedGrapevine",
            "condition for a transfer: ModifiedGrapevine (the receiver finishes before the sender would), "
            "Grapevine (the receiver finishes by the average)"},
           {"ordering", "FewestMigrations",
            "objects that are offered first: FewestMigrations, SmallObjects, LargestObjects, ElmID, "
            "Arbitrary"},
           {"cmf", "NormByMax", "probability of receivers: NormByMax, Original, NormByMaxExcludeIneligible"},
           {"max_known", std::int64_t{128}, "maximum number of ranks that a rank knows"},
           {"admission", true, "whether receivers refuse objects that violate the criterion"},
           {"rollback", true, "whether the best iteration is the result, not the last one"},
           {"tolerance", 1.0005, "maximum load relative to the average that ends the search (>= 1)"},
           {"seed", std::int64_t{0}, "random seed"}},
      .make = make_strategy<TemperedLB>,
      .needs = {.communication = false},
      .aliases = {{"GossipLB"}, {"GrapevineLB", {{"criterion", "Grapevine"}}}},
      .trade_off = TradeOff::by_tolerance()};
}

}  // namespace plimsoll::balance
