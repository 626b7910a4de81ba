#include "balance/strategies/tempered_lb/cluster_exchange.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "balance/search/loads.hpp"
#include "balance/strategies/tempered_lb/cluster_swaps.hpp"
#include "balance/strategies/tempered_lb/exchange_step.hpp"
#include "balance/strategies/tempered_lb/work_score.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Iterations without success after which unavailable ranks keep the objects that they could not get rid of.
constexpr std::int32_t max_failures = 20;

class ExchangeRun {
 public:
  ExchangeRun(RankRounds& rounds, const ExchangeOptions& options, std::span<WorkRank> ranks)
      : rounds_(rounds),
        options_(options),
        ranks_(ranks),
        measured_(rounds, options.rules, ranks),
        gossip_(rounds, options.reach, options.seed),
        step_(rounds, options, ranks, gossip_) {}

  std::vector<std::vector<ObjectOrigin>> run() {
    measured_.measure();
    step_.limit_memory(measured_.work_of_local());
    const std::vector<WorkRank> start =
        options_.trials > 1 ? std::vector<WorkRank>(ranks_.begin(), ranks_.end()) : std::vector<WorkRank>();
    const double sufficient = options_.target * work_bound() * (1 + rounding_error);
    PairScore best = measured_.score();
    std::vector<std::vector<ObjectOrigin>> held = objects_held();
    for (std::int32_t trial = 0; trial < options_.trials; ++trial) {
      if (trial > 0) std::ranges::copy(start, ranks_.begin());
      std::int32_t failures = 0;
      for (std::int32_t iteration = 0; goes_on(iteration, failures, best, sufficient); ++iteration) {
        iterate();
        const PairScore reached = measured_.score();
        ++failures;
        if (!reached.is_better_than(best)) continue;
        failures = 0;
        best = reached;
        held = objects_held();
      }
    }
    return held;
  }

 private:
  static bool is_sufficient(const PairScore& score, double sufficient) {
    return score.n_misplaced == 0 && score.memory_excess == 0 && score.higher_work <= sufficient;
  }

  /// Unavailable ranks may need more iterations until they have heard of ranks that take all their objects.
  bool goes_on(std::int32_t iteration, std::int32_t failures, const PairScore& best,
               double sufficient) const {
    if (iteration < options_.iterations) return !is_sufficient(best, sufficient);
    return best.n_misplaced > 0 && failures < max_failures;
  }

  void iterate() {
    measured_.measure();
    const double available = measured_.sum([](const WorkRank& rank) { return rank.available ? 1 : 0; });
    const double average = measured_.total_work() / available;
    gossip_.spread([&](std::int32_t local) -> std::optional<KnownRank> {
      const WorkRank& rank = ranks_[at(local)];
      const double work = measured_.work_of_local()[at(local)].work;
      if (!rank.available || work > average * (1 + rounding_error)) return {};
      return known_rank(rank.number, work, rank.speed, {average, 1});
    });
    step_.start(average);
    for (std::size_t step = 0; step < step_.steps_per_iteration(); ++step) step_.run();
    step_.finish();
  }

  /// Returns a lower bound on the maximum work of an available rank: without messages and blocks, all would
  /// have the same work.
  double work_bound() {
    const double gamma = options_.rules.coefficients.gamma;
    const auto has_no_work = [](const WorkRank& rank) { return rank.available && rank.alpha == 0 ? 1 : 0; };
    if (measured_.maximum(has_no_work) > 0) return 0;
    const double load = measured_.sum([](const WorkRank& rank) {
      double of_rank = 0;
      for (const WorkObject& object : rank.objects) of_rank += object.load;
      return of_rank;
    });
    const double per_work =
        measured_.sum([](const WorkRank& rank) { return rank.available ? rank.speed / rank.alpha : 0; });
    const double fixed = measured_.sum([&](const WorkRank& rank) {
      return rank.available ? (rank.overhead + gamma / rank.alpha) * rank.speed : 0;
    });
    return per_work > 0 ? (load + fixed) / per_work : 0;
  }

  std::vector<std::vector<ObjectOrigin>> objects_held() const {
    std::vector<std::vector<ObjectOrigin>> held(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      for (const WorkObject& object : ranks_[i].objects) held[i].push_back({object.origin, object.position});
    return held;
  }

  RankRounds& rounds_;
  const ExchangeOptions& options_;
  std::span<WorkRank> ranks_;
  WorkScore measured_;
  Gossip gossip_;
  ExchangeStep step_;
};

}  // namespace

std::vector<std::vector<ObjectOrigin>> exchange_clusters(RankRounds& rounds, const ExchangeOptions& options,
                                                         std::span<WorkRank> ranks) {
  return ExchangeRun(rounds, options, ranks).run();
}

}  // namespace plimsoll::balance
