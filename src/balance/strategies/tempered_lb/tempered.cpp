#include "balance/strategies/tempered_lb/tempered.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "balance/rounds/rank_random.hpp"
#include "balance/rounds/scaled_sum.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/tempered_lb/gossip.hpp"
#include "balance/strategies/tempered_lb/offers.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Further iterations in which unavailable ranks may get rid of their objects.
constexpr std::int32_t max_evacuations = 1000;

class Tempering {
 public:
  Tempering(RankRounds& rounds, const TemperedOptions& options, std::span<TemperedRank> ranks)
      : rounds_(rounds),
        options_(options),
        ranks_(ranks),
        values_(ranks.size()),
        gossip_(rounds, options.reach, options.seed) {
    for (TemperedRank& rank : ranks_) std::ranges::sort(rank.objects, {}, &RankObject::id);
    average_ = average_rank();
  }

  void run() {
    Placement best = placement();
    const Placement start = options_.trials > 1 ? best : Placement();
    double best_finish = max_finish();
    for (std::int32_t trial = 0; trial < options_.trials && !is_sufficient(best_finish); ++trial) {
      if (trial > 0) restore(start);
      for (std::int32_t iteration = 0; goes_on(iteration, best_finish); ++iteration) {
        make_known();
        transfer();
        const bool may_be_result = options_.rollback || iteration + 1 >= options_.iterations;
        const double finish = may_be_result ? max_finish() : infinite_finish;
        if (finish >= best_finish) continue;
        best_finish = finish;
        best = placement();
      }
    }
    restore(best);
  }

 private:
  using Placement = std::vector<std::vector<RankObject>>;

  Placement placement() const {
    Placement result;
    result.reserve(ranks_.size());
    for (const TemperedRank& rank : ranks_) result.push_back(rank.objects);
    return result;
  }

  void restore(const Placement& placement) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].objects = placement[i];
  }

  double sum(const std::function<double(const TemperedRank&)>& value) {
    std::ranges::transform(ranks_, values_.begin(), value);
    return scaled_sum(rounds_, values_);
  }

  /// Returns when all available ranks would finish with equal loads, and their mean speed.
  AverageRank average_rank() {
    const double available = sum([](const TemperedRank& rank) { return rank.available ? 1 : 0; });
    const double speed = sum([](const TemperedRank& rank) { return rank.available ? rank.speed : 0; });
    const double work = sum([](const TemperedRank& rank) {
      return load_of(rank) + (rank.available ? rank.overhead * rank.speed : 0);
    });
    if (speed <= 0) return {};
    return {work / speed, speed / available};
  }

  double max_finish() {
    std::ranges::transform(ranks_, values_.begin(), finish_of);
    return rounds_.maximum(values_);
  }

  /// Unavailable ranks may need more iterations until they have heard of ranks that take all their objects.
  bool goes_on(std::int32_t iteration, double best_finish) const {
    if (iteration < options_.iterations) return !is_sufficient(best_finish);
    return best_finish == infinite_finish && iteration < options_.iterations + max_evacuations;
  }

  bool is_sufficient(double finish) const {
    return finish <= options_.target * average_.finish * (1 + rounding_error);
  }

  void make_known() {
    gossip_.spread([&](std::int32_t local) -> std::optional<KnownRank> {
      const TemperedRank& rank = ranks_[at(local)];
      const double finish = finish_of(rank);
      if (!rank.available || finish > average_.finish * (1 + rounding_error)) return {};
      return known_rank(rounds_.first_local_rank() + local, finish, rank.speed, average_);
    });
  }

  /// Overloaded ranks offer objects to ranks that they know; these return what they refuse.
  void transfer() {
    gossip_.next_step();
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      const std::vector<KnownRank>& known = gossip_.receive(local, received);
      RankRandom random = gossip_.random_of(local);
      for (const Offers& offers : make_offers(ranks_[at(local)], known, average_, options_, random))
        outbox.send(offers.receiver, std::span<const Offer>(offers.objects));
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      for (const RefusedObjects& refusal :
           accept_offers(ranks_[at(local)], received, average_.finish, options_))
        outbox.send(refusal.sender, std::span<const RankObject>(refusal.objects));
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
      for (const RoundMessage& message : received) {
        const auto objects = message.items<RankObject>();
        ranks_[at(local)].objects.insert(ranks_[at(local)].objects.end(), objects.begin(), objects.end());
      }
    });
  }

  RankRounds& rounds_;
  const TemperedOptions& options_;
  std::span<TemperedRank> ranks_;
  std::vector<double> values_;  // one per local rank
  Gossip gossip_;
  AverageRank average_;
};

}  // namespace

void balance_by_gossip(RankRounds& rounds, const TemperedOptions& options, std::span<TemperedRank> ranks) {
  Tempering(rounds, options, ranks).run();
}

}  // namespace plimsoll::balance
