#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/rounds/needed_migrations.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/work_state.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/tempered_lb/cluster_exchange.hpp"
#include "balance/strategies/tempered_lb/tempered.hpp"
#include "balance/strategies/tempered_lb/work_ranks.hpp"
#include "balance/strategies/tempered_lb/work_score.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr support::Named<TransferCriterion> transfer_criteria[] = {
    {"Grapevine", TransferCriterion::grapevine}, {"ModifiedGrapevine", TransferCriterion::relaxed}};
constexpr support::Named<TransferProbability> probabilities[] = {
    {"Original", TransferProbability::by_average},
    {"NormByMax", TransferProbability::by_maximum},
    {"NormByMaxExcludeIneligible", TransferProbability::among_eligible}};
enum class Transfer {
  objects,   ///< each object alone
  clusters,  ///< objects that belong together
};
enum class Knowledge {
  by_gossip,
  complete,  ///< underloaded ranks make themselves known to all others
};
constexpr support::Named<Transfer> transfers[] = {{"Original", Transfer::objects},
                                                  {"SwapClusters", Transfer::clusters}};
constexpr support::Named<ClusterKind> cluster_kinds[] = {{"SharedBlocks", ClusterKind::blocks},
                                                         {"Communication", ClusterKind::communication}};
constexpr support::Named<Knowledge> kinds_of_knowledge[] = {
    {"Log", Knowledge::by_gossip}, {"UserDefined", Knowledge::by_gossip}, {"Complete", Knowledge::complete}};
enum class Inform { in_rounds };
constexpr support::Named<Inform> kinds_of_inform[] = {{"SyncInform", Inform::in_rounds},
                                                      {"AsyncInform", Inform::in_rounds}};
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
void set_reach(std::int64_t fanout, std::int64_t rounds, std::int32_t ranks, GossipReach& reach) {
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
  reach.fanout = static_cast<std::int32_t>(std::max<std::int64_t>(fanout, 1));
  reach.rounds = static_cast<std::int32_t>(rounds);
}

/// Returns the settings that users give for both kinds of transfers. Throws Error (usage) for unknown names.
template <typename Enum, std::size_t n>
Enum named(const support::Named<Enum> (&values)[n], const Parameters& parameters, const std::string& name) {
  return support::value_of(values, parameters.get<std::string>(name), name + " of TemperedLB");
}

/// Whether objects are transferred by their work, memory and blocks, instead of their loads only.
bool weighs_work(const Parameters& parameters, const WorkGoal& goal) {
  return named(transfers, parameters, "transfer") == Transfer::clusters || !goal.is_load_only() ||
         goal.limits.limit_memory();
}

/// Returns whether the work of a second of load depends on the rank, although the loads alone may decide.
bool ranks_weigh_differently(const LDStats& stats) {
  return std::ranges::adjacent_find(stats.procs, std::not_equal_to(), &ProcStats::rank_alpha) !=
         stats.procs.end();
}

/// Returns the kinds of clusters that ranks swap. Single objects get stuck if only all objects that use a
/// block, or that communicate, improve a placement together.
std::vector<ClusterKind> clusters_to_swap(const Parameters& parameters, const WorkGoal& goal) {
  if (named(transfers, parameters, "transfer") == Transfer::clusters)
    return {named(cluster_kinds, parameters, "clusters")};
  std::vector<ClusterKind> kinds = {ClusterKind::objects};
  if (goal.coefficients.weigh_traffic()) kinds.push_back(ClusterKind::communication);
  if (goal.coefficients.delta != 0 || goal.limits.limit_memory()) kinds.push_back(ClusterKind::blocks);
  return kinds;
}

/// Balances without a centre: underloaded ranks make themselves known by gossip. Overloaded ranks offer them
/// objects (balance_by_gossip()), or swap clusters of objects with them (exchange_clusters()) if work, memory
/// or blocks count.
class TemperedLB : public DistributedStrategy {
 public:
  explicit TemperedLB(const Parameters& parameters)
      : DistributedStrategy("TemperedLB", parameters),
        goal_("TemperedLB", parameters),
        weighs_work_(weighs_work(parameters, goal_)),
        knowledge_(named(kinds_of_knowledge, parameters, "knowledge")),
        fanout_(number_of(parameters, "fanout", 0, max_fanout)),
        rounds_(number_of(parameters, "rounds", 0, max_gossip_rounds)) {
    options_.iterations = static_cast<std::int32_t>(number_of(parameters, "iters", 1, 10'000));
    options_.trials = static_cast<std::int32_t>(number_of(parameters, "trials", 1, 10'000));
    options_.criterion = named(transfer_criteria, parameters, "criterion");
    options_.probability = named(probabilities, parameters, "cmf");
    options_.order = named(object_orders, parameters, "ordering");
    options_.reach.max_known =
        static_cast<std::size_t>(number_of(parameters, "max_known", 1, std::int64_t{1} << 30));
    options_.admission = parameters.get<bool>("admission");
    options_.rollback = parameters.get<bool>("rollback");
    options_.target = tolerance_of("TemperedLB", parameters);
    options_.seed = static_cast<std::uint64_t>(parameters.get<std::int64_t>("seed"));
    // Check values that have no effect with these settings, too.
    named(kinds_of_inform, parameters, "inform");
    named(cluster_kinds, parameters, "clusters");
    if (const auto epsilon = parameters.get<double>("epsilon"); !(epsilon >= 0))
      throw invalid_parameter("TemperedLB", "epsilon", epsilon, "use a number >= 0");
  }

  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return weighs_work_ || ranks_weigh_differently(stats) ? goal_.score(stats, placement)
                                                          : DistributedStrategy::score(stats, placement);
  }
  ScoreTerms score_terms() const override {
    return weighs_work_ || weighs_ranks_ ? ScoreTerms{ScoreTerms::Kind::own} : ScoreTerms::of_load(false);
  }

 private:
  /// Running programs have no ProcStats::rank_alpha.
  void prepare(const LDStats& stats) override { weighs_ranks_ = ranks_weigh_differently(stats); }

  void place(RankRounds& rounds, std::span<LocalRank> ranks) override {
    TemperedOptions options = options_;
    set_reach(fanout_, rounds_, rounds.ranks(), options.reach);
    if (knowledge_ == Knowledge::complete) options.reach = {rounds.ranks(), 1, at(rounds.ranks())};
    std::vector<std::vector<ObjectOrigin>> held =
        weighs_work_ || weighs_ranks_ ? swap_clusters(rounds, ranks, options) : offer(rounds, ranks, options);
    tell_origins(rounds, held, ranks);
  }

  bool is_harmful(RankRounds& rounds, std::span<const LocalRank> ranks) const override {
    if (!weighs_work_) return false;
    std::vector<WorkRank> work_ranks = work_ranks_of(rounds, ranks, goal_);
    return work_increases(rounds, {goal_.coefficients, goal_.limits}, ranks, work_ranks);
  }

  std::vector<std::vector<ObjectOrigin>> swap_clusters(RankRounds& rounds, std::span<const LocalRank> ranks,
                                                       const TemperedOptions& options) const {
    std::vector<WorkRank> work_ranks = work_ranks_of(rounds, ranks, goal_);
    return exchange_clusters(rounds,
                             {.reach = options.reach,
                              .iterations = options.iterations,
                              .trials = options.trials,
                              .clusters = clusters_to_swap(parameters(), goal_),
                              .order = options.order,
                              .rules = {goal_.coefficients, goal_.limits},
                              .target = options.target,
                              .seed = options.seed},
                             work_ranks);
  }

  static std::vector<std::vector<ObjectOrigin>> offer(RankRounds& rounds, std::span<const LocalRank> ranks,
                                                      const TemperedOptions& options) {
    std::vector<TemperedRank> tempered;
    tempered.reserve(ranks.size());
    for (std::size_t local = 0; local < ranks.size(); ++local)
      tempered.push_back(
          tempered_rank(rounds.first_local_rank() + static_cast<std::int32_t>(local), ranks[local]));
    balance_by_gossip(rounds, options, tempered);
    std::vector<std::vector<ObjectOrigin>> held(ranks.size());
    for (std::size_t local = 0; local < ranks.size(); ++local)
      for (const RankObject& object : tempered[local].objects) held[local].push_back(origin_of(object));
    return held;
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

  WorkGoal goal_;
  bool weighs_work_;
  bool weighs_ranks_ = false;  // in the last work()
  Knowledge knowledge_;
  TemperedOptions options_;
  std::int64_t fanout_;
  std::int64_t rounds_;
};

StrategyNeeds needs_of_settings(const Parameters& parameters) {
  const WorkGoal goal("TemperedLB", parameters);
  const std::vector<ClusterKind> clusters = clusters_to_swap(parameters, goal);
  return {.memory = std::ranges::count(clusters, ClusterKind::blocks) > 0 || goal.coefficients.delta != 0,
          .communication = std::ranges::count(clusters, ClusterKind::communication) > 0 ||
                           goal.coefficients.weigh_traffic()};
}

std::vector<ParameterSpec> tempered_parameters() {
  std::vector<ParameterSpec> parameters = {
      {"fanout", std::int64_t{0},
       "receivers of each message (0: so many that the rounds can reach all ranks, up to 64)"},
      {"rounds", std::int64_t{0}, "rounds of messages per iteration (0: by the number of ranks)"},
      {"knowledge", "Log",
       "who hears of underloaded ranks: Log or UserDefined (by fanout and rounds), Complete (all ranks)"},
      {"iters", std::int64_t{8}, "iterations of gossip and transfer", {"n_iterations"}},
      {"trials", std::int64_t{1}, "number of starts from the initial placement"},
      {"transfer", "Original",
       "what ranks transfer: Original (single objects), SwapClusters (objects that belong together)"},
      {"clusters", "SharedBlocks",
       "objects that belong together: SharedBlocks (use the same shared block), Communication (exchange most "
       "bytes)"},
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
      {"seed", std::int64_t{0}, "random seed"},
      {"inform", "SyncInform", "no effect: SyncInform or AsyncInform, for vt's configuration files"},
      {"deterministic", true, "no effect: every run is deterministic; for vt's configuration files"},
      {"targetpole", false, "no effect; for vt's configuration files"},
      {"epsilon", 0.0, "no effect; for vt's configuration files"}};
  const std::vector<ParameterSpec>& work = WorkGoal::parameters();
  parameters.insert(parameters.end(), work.begin(), work.end());
  return parameters;
}

}  // namespace

StrategyInfo tempered_lb_info() {
  return {.name = "TemperedLB",
          .help = "balances without a centre: ranks exchange objects with ranks that they hear of by gossip",
          .parameters = tempered_parameters(),
          .make = make_strategy<TemperedLB>,
          .needs = {.communication = false},
          .aliases = {{"GossipLB"}, {"GrapevineLB", {{"criterion", "Grapevine"}}}, {"TemperedWMin"}},
          .trade_off = TradeOff::by_tolerance(),
          .needs_of = needs_of_settings};
}

}  // namespace plimsoll::balance
