#include "balance/strategies/tempered_lb/offers.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Known rank with the finish time that the sender expects after its offers.
struct PossibleReceiver {
  std::int32_t rank;
  double finish;
  double speed;

  double finish_with(double load) const { return finish + load / speed; }
};

bool is_eligible(double finish, double average, double sender_finish, TransferCriterion criterion) {
  return finish <= average * (1 + rounding_error) || sender_finish == infinite_finish ||
         (criterion == TransferCriterion::relaxed && finish < sender_finish);
}

/// Chooses candidates at random, with the probabilities that an option names.
class ReceiverChoice {
 public:
  ReceiverChoice(std::span<const KnownRank> known, const AverageRank& average, const TemperedOptions& options)
      : average_(average.finish), options_(options) {
    candidates_.reserve(known.size());
    for (const KnownRank& rank : known)
      candidates_.push_back({rank.rank, rank.finish * average.finish, rank.speed * average.speed});
    cumulative_.resize(candidates_.size());
    if (options.probability == TransferProbability::by_maximum)
      weigh([](const PossibleReceiver&) { return true; });
  }

  /// Returns a candidate for an object whose rank finishes at `sender_finish`, or null.
  PossibleReceiver* choose(double load, double sender_finish, RankRandom& random) {
    if (options_.probability == TransferProbability::by_average)
      weigh([&](const PossibleReceiver& candidate) {
        return candidate.finish < average_ || sender_finish == infinite_finish;
      });
    if (options_.probability == TransferProbability::among_eligible)
      weigh([&](const PossibleReceiver& candidate) { return accepts(candidate, load, sender_finish); });
    if (cumulative_.empty() || cumulative_.back() <= 0) return nullptr;
    const auto chosen = std::ranges::upper_bound(cumulative_, random.uniform() * cumulative_.back());
    return &candidates_[static_cast<std::size_t>(
        std::min(chosen - cumulative_.begin(), std::ssize(cumulative_) - 1))];
  }

  bool accepts(const PossibleReceiver& candidate, double load, double sender_finish) const {
    return is_eligible(candidate.finish_with(load), average_, sender_finish, options_.criterion);
  }
  std::size_t index_of(const PossibleReceiver& candidate) const {
    return static_cast<std::size_t>(&candidate - candidates_.data());
  }

 private:
  /// Sets the weights of the candidates that `includes` admits; those of the others are 0.
  template <typename Includes>
  void weigh(const Includes& includes) {
    double norm = average_;
    if (options_.probability != TransferProbability::by_average)
      for (const PossibleReceiver& candidate : candidates_) norm = std::max(norm, candidate.finish);
    accumulate([&](const PossibleReceiver& candidate) {
      return includes(candidate) && norm > 0 ? std::max(0.0, 1 - candidate.finish / norm) : 0;
    });
    const bool all_finish_together = !cumulative_.empty() && cumulative_.back() == 0;
    if (all_finish_together)
      accumulate([&](const PossibleReceiver& candidate) { return includes(candidate) ? 1 : 0; });
  }

  template <typename Weight>
  void accumulate(const Weight& weight) {
    double sum = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) cumulative_[i] = sum += weight(candidates_[i]);
  }

  double average_;
  const TemperedOptions& options_;
  std::vector<PossibleReceiver> candidates_;
  std::vector<double> cumulative_;  // cumulative weights
};

}  // namespace

double load_of(const TemperedRank& rank) {
  double load = 0;
  for (const RankObject& object : rank.objects) load += object.load;
  return load;
}

double finish_of(const TemperedRank& rank) {
  if (!rank.available) return rank.objects.empty() ? 0 : infinite_finish;
  return rank.overhead + load_of(rank) / rank.speed;
}

std::vector<Offers> make_offers(TemperedRank& rank, std::span<const KnownRank> known,
                                const AverageRank& average_rank, const TemperedOptions& options,
                                RankRandom& random) {
  const double average = average_rank.finish;
  double finish = finish_of(rank);
  if (finish <= average * (1 + rounding_error) || known.empty()) return {};
  sort_objects(rank.objects, options.order, rank.available ? (finish - average) * rank.speed : load_of(rank));
  ReceiverChoice choice(known, average_rank, options);
  std::vector<std::vector<RankObject>> given(known.size());
  std::size_t kept = 0;
  std::size_t next = 0;
  for (; next < rank.objects.size() && finish > average * (1 + rounding_error); ++next) {
    const RankObject object = rank.objects[next];
    PossibleReceiver* const candidate = choice.choose(object.load, finish, random);
    if (candidate != nullptr && choice.accepts(*candidate, object.load, finish)) {
      candidate->finish = candidate->finish_with(object.load);
      given[choice.index_of(*candidate)].push_back(object);
      if (rank.available) finish -= object.load / rank.speed;
    } else {
      rank.objects[kept++] = object;
    }
  }
  rank.objects.erase(rank.objects.begin() + static_cast<std::ptrdiff_t>(kept),
                     rank.objects.begin() + static_cast<std::ptrdiff_t>(next));
  std::vector<Offers> offers;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].empty()) continue;
    offers.push_back({known[i].rank, {}});
    for (const RankObject& object : given[i])
      offers.back().objects.push_back(
          {object, rank.available ? finish + object.load / rank.speed : infinite_finish});
  }
  return offers;
}

std::vector<RefusedObjects> accept_offers(TemperedRank& rank, Inbox offers, double average,
                                          const TemperedOptions& options) {
  struct Received {
    Offer offer;
    std::int32_t sender;
  };
  std::vector<Received> received;
  for (const RoundMessage& message : offers)
    for (const Offer& offer : message.items<Offer>()) received.push_back({offer, message.sender});
  std::ranges::sort(received, {}, [](const Received& one) {
    return std::tuple(-one.offer.object.load, one.sender, one.offer.object.id);
  });
  std::vector<Received> refused;
  double finish = finish_of(rank);
  for (const Received& one : received) {
    const double finish_with = finish + one.offer.object.load / rank.speed;
    if (options.admission &&
        !is_eligible(finish_with, average, one.offer.finish_if_refused, options.criterion)) {
      refused.push_back(one);
    } else {
      rank.objects.push_back(one.offer.object);
      finish = finish_with;
    }
  }
  std::ranges::stable_sort(refused, {}, &Received::sender);
  std::vector<RefusedObjects> refusals;
  for (const Received& one : refused) {
    if (refusals.empty() || refusals.back().sender != one.sender) refusals.push_back({one.sender, {}});
    refusals.back().objects.push_back(one.offer.object);
  }
  return refusals;
}

}  // namespace plimsoll::balance
