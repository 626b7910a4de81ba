#include "balance/strategies/tempered_lb/cluster_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "balance/rounds/scaled_sum.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/tempered_lb/cluster_swaps.hpp"
#include "balance/strategies/tempered_lb/exchange_step.hpp"
#include "balance/strategies/tempered_lb/object_messages.hpp"

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
        values_(ranks.size()),
        work_(ranks.size()),
        gossip_(rounds, options.reach, options.seed),
        step_(rounds, options, ranks, gossip_) {}

  std::vector<std::vector<ObjectOrigin>> run() {
    measure();
    step_.limit_memory(work_);
    const std::vector<WorkRank> start =
        options_.trials > 1 ? std::vector<WorkRank>(ranks_.begin(), ranks_.end()) : std::vector<WorkRank>();
    const double sufficient = options_.target * work_bound() * (1 + rounding_error);
    PairScore best = score();
    std::vector<std::vector<ObjectOrigin>> held = objects_held();
    for (std::int32_t trial = 0; trial < options_.trials; ++trial) {
      if (trial > 0) std::ranges::copy(start, ranks_.begin());
      std::int32_t failures = 0;
      for (std::int32_t iteration = 0; goes_on(iteration, failures, best, sufficient); ++iteration) {
        iterate();
        const PairScore reached = score();
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
    measure();
    const double available = sum([](const WorkRank& rank) { return rank.available ? 1 : 0; });
    for (std::size_t i = 0; i < ranks_.size(); ++i) values_[i] = work_[i].work;
    const double average = scaled_sum(rounds_, values_) / available;
    gossip_.spread([&](std::int32_t local) -> std::optional<KnownRank> {
      const WorkRank& rank = ranks_[at(local)];
      const double work = work_[at(local)].work;
      if (!rank.available || work > average * (1 + rounding_error)) return {};
      return known_rank(rank.number, work, rank.speed, {average, 1});
    });
    step_.start(average);
    for (std::size_t step = 0; step < step_.steps_per_iteration(); ++step) step_.run();
    step_.finish();
  }

  /// Computes the work and memory of all ranks.
  void measure() {
    if (options_.rules.coefficients.weigh_traffic()) update_places(rounds_, ranks_);
    for (std::size_t i = 0; i < ranks_.size(); ++i) work_[i] = work_of(ranks_[i], options_.rules);
  }

  double sum(const std::function<double(const WorkRank&)>& value) {
    std::ranges::transform(ranks_, values_.begin(), value);
    return scaled_sum(rounds_, values_);
  }

  /// Returns a lower bound on the maximum work of an available rank: without messages and blocks, all would
  /// have the same work.
  double work_bound() {
    const double gamma = options_.rules.coefficients.gamma;
    std::ranges::transform(ranks_, values_.begin(),
                           [](const WorkRank& rank) { return rank.available && rank.alpha == 0 ? 1 : 0; });
    if (rounds_.maximum(values_) > 0) return 0;
    const double load = sum([](const WorkRank& rank) {
      double of_rank = 0;
      for (const WorkObject& object : rank.objects) of_rank += object.load;
      return of_rank;
    });
    const double per_work =
        sum([](const WorkRank& rank) { return rank.available ? rank.speed / rank.alpha : 0; });
    const double fixed = sum([&](const WorkRank& rank) {
      return rank.available ? (rank.overhead + gamma / rank.alpha) * rank.speed : 0;
    });
    return per_work > 0 ? (load + fixed) / per_work : 0;
  }

  /// Returns the score of all ranks: PairScore::lower_work is 0.
  PairScore score() {
    measure();
    PairScore score;
    score.n_misplaced = std::llround(sum(
        [](const WorkRank& rank) { return rank.available ? 0 : static_cast<double>(rank.objects.size()); }));
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      values_[i] = std::max(0.0, work_[i].memory_bytes - options_.rules.limits.max_memory_bytes);
    score.memory_excess = scaled_sum(rounds_, values_);
    for (std::size_t i = 0; i < ranks_.size(); ++i) values_[i] = work_[i].work;
    score.higher_work = rounds_.maximum(values_);
    return score;
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
  std::vector<double> values_;  // one per local rank
  std::vector<RankWork> work_;
  Gossip gossip_;
  ExchangeStep step_;
};

}  // namespace

std::vector<std::vector<ObjectOrigin>> exchange_clusters(RankRounds& rounds, const ExchangeOptions& options,
                                                         std::span<WorkRank> ranks) {
  return ExchangeRun(rounds, options, ranks).run();
}

}  // namespace plimsoll::balance
