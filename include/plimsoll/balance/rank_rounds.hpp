#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Message from one rank to another, as its receiver sees it.
struct RoundMessage {
  std::int32_t sender = 0;
  std::span<const std::byte> bytes;  ///< content, aligned to 16 bytes

  /// Returns the content as the items of which Outbox::send() was called.
  template <typename Item>
  std::span<const Item> items() const {
    static_assert(std::is_trivially_copyable_v<Item> && alignof(Item) <= 16);
    PLIMSOLL_EXPECT(bytes.size() % sizeof(Item) == 0);
    return {reinterpret_cast<const Item*>(bytes.data()), bytes.size() / sizeof(Item)};
  }
};

/// Messages that a rank has received, sorted by sender. Those of one sender are in the order of sending.
using Inbox = std::span<const RoundMessage>;

/// Messages that a rank sends in a round.
class Outbox {
 public:
  virtual ~Outbox() = default;

  /// Sends the same items to several ranks, which receive them in the next round.
  template <typename Item>
  void send(std::span<const std::int32_t> receivers, std::span<const Item> items) {
    static_assert(std::is_trivially_copyable_v<Item> && alignof(Item) <= 16);
    send_bytes(receivers, std::as_bytes(items));
  }
  /// Sends items to one rank.
  template <typename Item>
  void send(std::int32_t receiver, std::span<const Item> items) {
    send(std::span(&receiver, 1), items);
  }

 private:
  virtual void send_bytes(std::span<const std::int32_t> receivers, std::span<const std::byte> bytes) = 0;
};

/// What the rounds of a strategy cost so far.
struct RoundTraffic {
  std::int64_t rounds = 0;      ///< rounds of messages
  std::int64_t messages = 0;    ///< messages of all ranks to other ranks
  std::int64_t bytes = 0;       ///< bytes of these messages
  std::int64_t reductions = 0;  ///< sums and maxima over all ranks
};

/// Runs a distributed strategy in rounds: in each, every rank reads its messages of the round before, and
/// sends messages. A strategy is written once, for any executor: all ranks execute the same rounds, and only
/// results of sum() and maximum(), which are equal on all ranks, may decide which round is next. An executor
/// runs one or more ranks in its process; these are its local ranks.
class RankRounds {
 public:
  /// One round of one local rank, numbered from 0. Rounds of different ranks may run concurrently.
  using Step = std::function<void(std::int32_t local_rank, Inbox received, Outbox& outbox)>;

  virtual ~RankRounds() = default;

  /// Returns the number of all ranks.
  virtual std::int32_t ranks() const = 0;
  /// Returns the number of the first local rank; the others follow it.
  virtual std::int32_t first_local_rank() const = 0;
  virtual std::int32_t local_ranks() const = 0;

  /// Runs a round of all ranks, and delivers their messages. Collective. If the step of a rank throws, the
  /// exception of the first such rank is thrown on all ranks.
  virtual void run(const Step& step) = 0;

  /// Returns the sum of a value of each rank; `values` contains those of the local ranks. It does not depend
  /// on the order of the ranks: each value is rounded to a multiple of 2^-64, and must be below 2^62 in size.
  /// Collective.
  virtual double sum(std::span<const double> values) = 0;
  /// Returns the maximum of a value of each rank, which may be infinite. Collective.
  virtual double maximum(std::span<const double> values) = 0;

  /// Returns the traffic of all ranks so far. Collective.
  virtual RoundTraffic traffic() = 0;
};

}  // namespace plimsoll::balance
