#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/rounds/needed_migrations.hpp"
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
/// them objects (balance_by_gossip()). Balances walltime.
class TemperedLB : public DistributedStrategy {
 public:
  explicit TemperedLB(const Parameters& parameters)
      : DistributedStrategy("TemperedLB", parameters),
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

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(false); }

 private:
  void place(RankRounds& rounds, std::span<LocalRank> ranks) override {
    std::vector<TemperedRank> tempered;
    tempered.reserve(ranks.size());
    for (std::size_t local = 0; local < ranks.size(); ++local)
      tempered.push_back(
          tempered_rank(rounds.first_local_rank() + static_cast<std::int32_t>(local), ranks[local]));
    TemperedOptions options = options_;
    set_reach(fanout_, rounds_, rounds.ranks(), options);
    balance_by_gossip(rounds, options, tempered);
    std::vector<std::vector<ObjectOrigin>> held(ranks.size());
    for (std::size_t local = 0; local < ranks.size(); ++local)
      for (const RankObject& object : tempered[local].objects) held[local].push_back(origin_of(object));
    tell_origins(rounds, held, ranks);
  }

  /// Returns the rank of the gossip. IDs of objects are their origins, so that these can be told their new
  /// ranks.
  static TemperedRank tempered_rank(std::int32_t number, const LocalRank& rank) {
    TemperedRank result{{}, rank.overhead, rank.speed, rank.available};
    result.objects.reserve(rank.objects.size());
    for (std::size_t position = 0; position < rank.objects.size(); ++position)
      result.objects.push_back(
          {rank.objects[position].load, (static_cast<std::uint64_t>(number) << 32) + position});
    return result;
  }
  static ObjectOrigin origin_of(const RankObject& object) {
    return {static_cast<std::int32_t>(object.id >> 32), static_cast<std::uint32_t>(object.id)};
  }

  TemperedOptions options_;
  std::int64_t fanout_;
  std::int64_t rounds_;
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
