#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/rounds/needed_migrations.hpp"
#include "balance/rounds/scaled_sum.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// A rank with the migratable objects that it has at the moment, while strategies hand them over. `Object`
/// has a member `load`, in seconds at speed 1.
template <typename Object>
struct RankObjects {
  std::vector<Object> objects;
  double overhead = 0;  ///< time that does not depend on the objects
  double speed = 1;
  bool available = true;   ///< whether it may have objects
  std::int64_t node = -1;  ///< see LocalRank::node

  double load() const {
    double sum = 0;
    for (const Object& object : objects) sum += object.load;
    return sum;
  }
  /// Returns when the rank finishes; infinity if it has objects, but is unavailable.
  double finish() const {
    if (available) return overhead + load() / speed;
    return objects.empty() ? 0 : std::numeric_limits<double>::infinity();
  }
  /// Returns the load with which the rank finishes at a time.
  double capacity(double finish_time) const {
    return available ? std::max(0.0, (finish_time - overhead) * speed) : 0;
  }
};

/// Returns a rank with its initial objects: `make_object(position)` returns that at a position in
/// LocalRank::objects.
template <typename Object, typename MakeObject>
RankObjects<Object> initial_objects(const LocalRank& rank, const MakeObject& make_object) {
  RankObjects<Object> result{{}, rank.overhead, rank.speed, rank.available, rank.node};
  result.objects.reserve(rank.objects.size());
  for (std::uint32_t position = 0; position < rank.objects.size(); ++position)
    result.objects.push_back(make_object(position));
  return result;
}

/// Sets LocalObject::new_rank by the objects that the local ranks `held` have at the end; an object has a
/// member `origin`. Collective: two rounds.
template <typename Object>
void tell_origins(RankRounds& rounds, std::span<const RankObjects<Object>> held, std::span<LocalRank> ranks) {
  std::vector<std::vector<ObjectOrigin>> origins(held.size());
  for (std::size_t local = 0; local < held.size(); ++local) {
    origins[local].reserve(held[local].objects.size());
    for (const Object& object : held[local].objects) origins[local].push_back(object.origin);
  }
  tell_origins(rounds, origins, ranks);
}

/// Returns the sum over all ranks of `value(rank)`, which is >= 0. Collective.
template <typename Rank, typename Value>
double sum_over(RankRounds& rounds, std::span<Rank> ranks, const Value& value) {
  std::vector<double> values(ranks.size());
  std::ranges::transform(ranks, values.begin(), value);
  return scaled_sum(rounds, values);
}

/// Returns the maximum over all ranks of `value(rank)`. Collective.
template <typename Rank, typename Value>
double maximum_over(RankRounds& rounds, std::span<Rank> ranks, const Value& value) {
  std::vector<double> values(ranks.size());
  std::ranges::transform(ranks, values.begin(), value);
  return rounds.maximum(values);
}

/// Returns when all available ranks would finish together, if load could be divided. Collective.
template <typename Rank>
double average_finish(RankRounds& rounds, std::span<Rank> ranks) {
  const double speed =
      sum_over(rounds, ranks, [](const Rank& rank) { return rank.available ? rank.speed : 0; });
  const double work = sum_over(rounds, ranks, [](const Rank& rank) {
    return rank.load() + (rank.available ? rank.overhead * rank.speed : 0);
  });
  return speed > 0 ? work / speed : 0;
}

}  // namespace plimsoll::balance
