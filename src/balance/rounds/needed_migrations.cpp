#include "balance/rounds/needed_migrations.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// More than three passes are rare; the maximum bounds the time.
constexpr int max_return_passes = 32;

/// Load that a rank sends to another one, or takes back from it.
struct SentLoad {
  std::int32_t rank;
  double load;
};

/// Sends the sum of the loads to each of their ranks.
void send_sums(std::vector<SentLoad>& loads, Outbox& outbox) {
  std::ranges::stable_sort(loads, {}, &SentLoad::rank);
  for (std::size_t begin = 0; begin < loads.size();) {
    double sum = 0;
    std::size_t end = begin;
    for (; end < loads.size() && loads[end].rank == loads[begin].rank; ++end) sum += loads[end].load;
    outbox.send(loads[begin].rank, std::span<const double>(&sum, 1));
    begin = end;
  }
}

double sum_of(Inbox received) {
  double sum = 0;
  for (const RoundMessage& message : received) sum += message.items<double>().front();
  return sum;
}

class NeededMigrations {
 public:
  NeededMigrations(RankRounds& rounds, std::span<LocalRank> ranks)
      : rounds_(rounds), ranks_(ranks), finish_(ranks.size()), n_returned_(ranks.size()) {}

  void run() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) finish_[i] = finish_before(ranks_[i]);
    const double before = rounds_.maximum(finish_);
    compute_finish();
    double after = rounds_.maximum(finish_);
    if (after >= before * (1 - rounding_error)) return keep_all();
    for (int pass = 0; pass < max_return_passes; ++pass) {
      latest_ = after * (1 + rounding_error);
      rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
        std::vector<SentLoad> returned = take_back(local);
        n_returned_[at(local)] = static_cast<double>(returned.size());
        send_sums(returned, outbox);
      });
      if (rounds_.maximum(n_returned_) == 0) break;
      rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
        finish_[at(local)] -= sum_of(received) / ranks_[at(local)].speed;
      });
      after = rounds_.maximum(finish_);
    }
  }

 private:
  std::int32_t number_of(std::int32_t local) const { return rounds_.first_local_rank() + local; }

  static double finish_before(const LocalRank& rank) {
    double load = 0;
    for (const LocalObject& object : rank.objects) load += object.load;
    if (!rank.available && !rank.objects.empty()) return std::numeric_limits<double>::infinity();
    return rank.overhead + load / rank.speed;
  }

  /// Computes when each rank finishes with the new placement.
  void compute_finish() {
    rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
      const LocalRank& rank = ranks_[at(local)];
      double load = 0;
      std::vector<SentLoad> leaving;
      for (const LocalObject& object : rank.objects) {
        if (object.new_rank == number_of(local))
          load += object.load;
        else
          leaving.push_back({object.new_rank, object.load});
      }
      const bool must_leave = !rank.available && leaving.size() < rank.objects.size();
      finish_[at(local)] =
          must_leave ? std::numeric_limits<double>::infinity() : rank.overhead + load / rank.speed;
      send_sums(leaving, outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
      finish_[at(local)] += sum_of(received) / ranks_[at(local)].speed;
    });
  }

  void keep_all() {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      for (LocalObject& object : ranks_[i].objects) object.new_rank = number_of(static_cast<std::int32_t>(i));
  }

  /// Takes back what the rank has time for. Returns the loads with the ranks that lose them.
  std::vector<SentLoad> take_back(std::int32_t local) {
    LocalRank& rank = ranks_[at(local)];
    std::vector<SentLoad> returned;
    if (!rank.available) return returned;
    double room = (latest_ - finish_[at(local)]) * rank.speed;
    std::vector<LocalObject*> away;
    for (LocalObject& object : rank.objects)
      if (object.new_rank != number_of(local) && object.load <= room) away.push_back(&object);
    std::ranges::stable_sort(away, {}, [](const LocalObject* object) { return object->load; });
    for (LocalObject* const object : away) {
      if (object->load > room) break;
      room -= object->load;
      finish_[at(local)] += object->load / rank.speed;
      returned.push_back({std::exchange(object->new_rank, number_of(local)), object->load});
    }
    return returned;
  }

  RankRounds& rounds_;
  std::span<LocalRank> ranks_;
  std::vector<double> finish_;      // of each local rank
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

void keep_needed_migrations(RankRounds& rounds, std::span<LocalRank> ranks) {
  NeededMigrations(rounds, ranks).run();
}

}  // namespace plimsoll::balance
