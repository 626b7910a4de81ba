#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Consecutive ranks.
struct RankGroup {
  std::int32_t first = 0;
  std::int32_t end = 0;

  std::int32_t size() const { return end - first; }
  /// Returns the first rank of the upper half.
  std::int32_t middle() const { return first + size() / 2; }
  RankGroup half(bool upper) const { return upper ? RankGroup{middle(), end} : RankGroup{first, middle()}; }
};

/// Combines and distributes values within groups of ranks, all groups at the same time, along binomial trees.
/// Each operation takes as many rounds as the binary logarithm of the largest group, rounded up.
class GroupTrees {
 public:
  /// `groups` contains the group of each local rank; `max_size` is the size of the largest group of all
  /// ranks.
  GroupTrees(RankRounds& rounds, std::span<const RankGroup> groups, std::int32_t max_size)
      : rounds_(rounds), groups_(groups), max_size_(max_size) {}

  /// Combines the values of all ranks of a group by `merge(into, from)` at its first rank. Collective.
  template <typename Value, typename Merge>
  void combine(std::vector<Value>& values, const Merge& merge) {
    for (std::int32_t step = 1; step < max_size_; step *= 2) {
      rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
        for (const RoundMessage& message : received) merge(values[at(local)], message.items<Value>().front());
        const std::int32_t place = place_of(local);
        if (place % (2 * step) == step)
          outbox.send(rank_of(local) - step, std::span<const Value>(&values[at(local)], 1));
      });
    }
    rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
      for (const RoundMessage& message : received) merge(values[at(local)], message.items<Value>().front());
    });
  }

  /// Distributes the value of the first rank to all ranks of its group. Collective.
  template <typename Value>
  void distribute(std::vector<Value>& values) {
    std::int32_t step = 1;
    while (step < max_size_) step *= 2;
    for (; step >= 1; step /= 2) {
      rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
        for (const RoundMessage& message : received) values[at(local)] = message.items<Value>().front();
        const std::int32_t place = place_of(local);
        if (step > 1 && place % step == 0 && place + step / 2 < groups_[at(local)].size())
          outbox.send(rank_of(local) + step / 2, std::span<const Value>(&values[at(local)], 1));
      });
    }
  }

 private:
  std::int32_t rank_of(std::int32_t local) const { return rounds_.first_local_rank() + local; }
  std::int32_t place_of(std::int32_t local) const { return rank_of(local) - groups_[at(local)].first; }

  RankRounds& rounds_;
  std::span<const RankGroup> groups_;
  std::int32_t max_size_;
};

}  // namespace plimsoll::balance
