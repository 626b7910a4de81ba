#include "balance/strategies/tempered_lb/tempered.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "balance/rounds/rank_random.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/tempered_lb/known_ranks.hpp"
#include "balance/strategies/tempered_lb/offers.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Further iterations in which unavailable ranks may get rid of their objects.
constexpr std::int32_t max_evacuations = 1000;

class Gossip {
 public:
  Gossip(RankRounds& rounds, const TemperedOptions& options, std::span<TemperedRank> ranks)
      : rounds_(rounds), options_(options), ranks_(ranks), values_(ranks.size()), known_(ranks.size()) {
    for (TemperedRank& rank : ranks_) std::ranges::sort(rank.objects, {}, &RankObject::id);
    average_ = average_finish();
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

  /// Returns the sum of a value >= 0 over all ranks. Values are scaled, because sums are fixed-point numbers.
  double sum(const std::function<double(const TemperedRank&)>& value) {
    std::ranges::transform(ranks_, values_.begin(), value);
    const double largest = rounds_.maximum(values_);
    if (largest <= 0) return 0;
    const int exponent = std::ilogb(largest);
    for (double& each : values_) each = std::scalbn(each, -exponent);
    return std::scalbn(rounds_.sum(values_), exponent);
  }

  /// Returns when all available ranks would finish with equal loads.
  double average_finish() {
    const double speed = sum([](const TemperedRank& rank) { return rank.available ? rank.speed : 0; });
    const double work = sum([](const TemperedRank& rank) {
      return load_of(rank) + (rank.available ? rank.overhead * rank.speed : 0);
    });
    return speed > 0 ? work / speed : 0;
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
    return finish <= options_.target * average_ * (1 + rounding_error);
  }

  /// Underloaded ranks make themselves known to random ranks, which pass on what they have learnt.
  void make_known() {
    for (std::int32_t round = 0; round < options_.rounds; ++round) {
      ++step_;
      rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
        std::vector<KnownRank>& known = known_[at(local)];
        const TemperedRank& rank = ranks_[at(local)];
        if (round == 0) {
          known.clear();
          const double finish = finish_of(rank);
          if (!rank.available || finish > average_ * (1 + rounding_error)) return;
          known.push_back({rounds_.first_local_rank() + local, static_cast<float>(finish),
                           static_cast<float>(rank.speed)});
        } else if (!learn(known, received, options_.max_known)) {
          return;
        }
        RankRandom random(options_.seed, rounds_.first_local_rank() + local, step_);
        outbox.send(random_receivers(random, known, rounds_.first_local_rank() + local),
                    excerpt(known, random));
      });
    }
  }

  /// Returns consecutive entries of `known`, as many as one message may contain: with a quarter of max_known,
  /// ranks that receive several messages still learn enough, and the messages need less memory.
  std::span<const KnownRank> excerpt(std::span<const KnownRank> known, RankRandom& random) const {
    const std::size_t size = std::min(known.size(), std::max<std::size_t>(options_.max_known / 4, 1));
    const auto begin = random.below(static_cast<std::int32_t>(known.size() - size + 1));
    return known.subspan(at(begin), size);
  }

  /// Returns up to `fanout` other ranks that are not known to be underloaded, without duplicates.
  std::vector<std::int32_t> random_receivers(RankRandom& random, const std::vector<KnownRank>& known,
                                             std::int32_t self) const {
    const std::int32_t ranks = rounds_.ranks();
    const auto is_known = [&](std::int32_t rank) {
      return rank == self || std::ranges::find(known, rank, &KnownRank::rank) != known.end();
    };
    std::vector<std::int32_t> receivers;
    if (options_.fanout >= ranks - 1) {
      for (std::int32_t rank = 0; rank < ranks; ++rank)
        if (!is_known(rank)) receivers.push_back(rank);
      return receivers;
    }
    // If almost all ranks are known, some receivers may not be found.
    for (std::int32_t trial = 0; trial < 4 * options_.fanout; ++trial) {
      const std::int32_t rank = random.below(ranks);
      if (is_known(rank) || std::ranges::find(receivers, rank) != receivers.end()) continue;
      receivers.push_back(rank);
      if (std::ssize(receivers) == options_.fanout) break;
    }
    return receivers;
  }

  /// Overloaded ranks offer objects to ranks that they know; these return what they refuse.
  void transfer() {
    ++step_;
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      std::vector<KnownRank>& known = known_[at(local)];
      learn(known, received, options_.max_known);
      RankRandom random(options_.seed, rounds_.first_local_rank() + local, step_);
      for (const Offers& offers : make_offers(ranks_[at(local)], known, average_, options_, random))
        outbox.send(offers.receiver, std::span<const Offer>(offers.objects));
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      for (const RefusedObjects& refusal : accept_offers(ranks_[at(local)], received, average_, options_))
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
  std::vector<std::vector<KnownRank>> known_;
  double average_ = 0;
  std::uint64_t step_ = 0;  // number of the round, for random numbers
};

}  // namespace

void balance_by_gossip(RankRounds& rounds, const TemperedOptions& options, std::span<TemperedRank> ranks) {
  Gossip(rounds, options, ranks).run();
}

}  // namespace plimsoll::balance
