#include "balance/rounds/needed_migrations.hpp"

#include <algorithm>
#include <compare>
#include <tuple>
#include <utility>

#include "balance/rounds/communicating_migrations.hpp"
#include "balance/rounds/new_finish_times.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Migrations of a strategy that minimises the time at which the last rank finishes.
class BalancingMigrations {
 public:
  BalancingMigrations(RankRounds& rounds, std::span<LocalRank> ranks)
      : rounds_(rounds), ranks_(ranks), finish_(rounds, ranks), n_returned_(ranks.size()) {}

  /// Compares the time at which the last rank finishes with that before all migrations. Collective.
  std::weak_ordering compare_with_start() {
    const double before = finish_.maximum_before();  // infinite if an unavailable rank has objects
    const double after = finish_.maximum();
    if (after < before * (1 - rounding_error)) return std::weak_ordering::less;
    return after <= before * (1 + rounding_error) ? std::weak_ordering::equivalent
                                                  : std::weak_ordering::greater;
  }

  void take_back_needless() {
    for (int pass = 0; pass < max_return_passes; ++pass) {
      latest_ = finish_.maximum() * (1 + rounding_error);
      rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
        std::vector<ReturnedObject> returned = take_back(local);
        n_returned_[at(local)] = static_cast<double>(returned.size());
        finish_.take_back(local, std::move(returned), outbox);
      });
      if (rounds_.maximum(n_returned_) == 0) break;
      rounds_.run([&](std::int32_t local, Inbox received, Outbox&) { finish_.give_back(local, received); });
    }
  }

 private:
  /// Takes back what the rank has time for.
  std::vector<ReturnedObject> take_back(std::int32_t local) {
    LocalRank& rank = ranks_[at(local)];
    const std::int32_t self = rounds_.first_local_rank() + local;
    std::vector<ReturnedObject> returned;
    if (!rank.available) return returned;
    double room = (latest_ - finish_[local]) * rank.speed;
    std::vector<LocalObject*> away;
    for (LocalObject& object : rank.objects)
      if (object.new_rank != self && object.load <= room) away.push_back(&object);
    std::ranges::stable_sort(away, {}, [](const LocalObject* object) { return object->load; });
    for (LocalObject* const object : away) {
      if (object->load > room) break;
      room -= object->load;
      returned.push_back({std::exchange(object->new_rank, self), object->load});
    }
    return returned;
  }

  RankRounds& rounds_;
  std::span<LocalRank> ranks_;
  NewFinishTimes finish_;
  std::vector<double> n_returned_;  // objects in this pass
  double latest_ = 0;               // time at which all ranks must have finished
};

}  // namespace

void tell_origins(RankRounds& rounds, std::span<std::vector<ObjectOrigin>> held, std::span<LocalRank> ranks) {
  rounds.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    std::vector<ObjectOrigin>& objects = held[at(local)];
    std::ranges::sort(objects, {},
                      [](const ObjectOrigin& object) { return std::tuple(object.rank, object.position); });
    std::vector<std::uint32_t> positions;
    for (std::size_t begin = 0; begin < objects.size();) {
      positions.clear();
      std::size_t end = begin;
      for (; end < objects.size() && objects[end].rank == objects[begin].rank; ++end)
        positions.push_back(objects[end].position);
      outbox.send(objects[begin].rank, std::span<const std::uint32_t>(positions));
      begin = end;
    }
  });
  rounds.run([&](std::int32_t local, Inbox received, Outbox&) {
    for (const RoundMessage& message : received)
      for (const std::uint32_t position : message.items<std::uint32_t>())
        ranks[at(local)].objects[position].new_rank = message.sender;
  });
}

void keep_all_objects(const RankRounds& rounds, std::span<LocalRank> ranks) {
  for (std::size_t local = 0; local < ranks.size(); ++local)
    for (LocalObject& object : ranks[local].objects)
      object.new_rank = rounds.first_local_rank() + static_cast<std::int32_t>(local);
}

void keep_needed_migrations(RankRounds& rounds, const ScoreTerms& terms, bool keeps_shape,
                            std::span<LocalRank> ranks) {
  if (terms.kind == ScoreTerms::Kind::load) {
    BalancingMigrations migrations(rounds, ranks);
    if (!is_lt(migrations.compare_with_start())) return keep_all_objects(rounds, ranks);
    if (!keeps_shape) migrations.take_back_needless();
  }
  if (terms.kind == ScoreTerms::Kind::communication) {
    CommunicatingMigrations migrations(rounds, terms, ranks);
    if (!keeps_shape) migrations.take_back_needless();
    if (!is_lt(migrations.compare_with_start())) keep_all_objects(rounds, ranks);
  }
}

bool are_harmful(RankRounds& rounds, const ScoreTerms& terms, std::span<LocalRank> ranks) {
  if (terms.kind == ScoreTerms::Kind::load)
    return is_gt(BalancingMigrations(rounds, ranks).compare_with_start());
  return terms.kind == ScoreTerms::Kind::communication &&
         is_gt(CommunicatingMigrations(rounds, terms, ranks).compare_with_start());
}

}  // namespace plimsoll::balance
