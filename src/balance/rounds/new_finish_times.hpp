#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Maximum number of times that all ranks take objects back. More than three are rare.
inline constexpr int max_return_passes = 32;

/// Object that returns to its initial rank from the rank where a strategy has placed it.
struct ReturnedObject {
  std::int32_t from = 0;
  double load = 0;
};

/// Times at which the local ranks finish if all objects are at LocalObject::new_rank. Infinite for an
/// unavailable rank with objects.
class NewFinishTimes {
 public:
  /// Collective: two rounds. The ranks must outlive this object.
  NewFinishTimes(RankRounds& rounds, std::span<const LocalRank> ranks);

  double operator[](std::int32_t local) const;
  /// Returns the ranks whose objects a local rank has received, before any of them returns.
  std::span<const std::int32_t> origins(std::int32_t local) const;
  /// Returns when the last of all ranks finishes. Collective.
  double maximum() { return rounds_.maximum(finish_); }
  /// Returns when the last of all ranks finishes without migrations. Collective.
  double maximum_before();

  /// Adds objects that a local rank takes back, and tells the ranks where they were: call it in a round of
  /// that rank.
  void take_back(std::int32_t local, std::vector<ReturnedObject> objects, Outbox& outbox);
  /// Subtracts the objects of a local rank that others have taken back: call it in the next round.
  void give_back(std::int32_t local, Inbox received);

 private:
  RankRounds& rounds_;
  std::span<const LocalRank> ranks_;
  std::vector<double> finish_;
  std::vector<std::vector<std::int32_t>> origins_;
};

}  // namespace plimsoll::balance
