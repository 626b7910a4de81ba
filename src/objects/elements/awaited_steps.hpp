#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/objects/step.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/version.hpp>

#include "objects/messaging/envelope.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Message of a step that its receiver does not accept yet.
struct EarlyMessage {
  Envelope envelope;
  std::vector<std::byte> arguments;

  /// Size in the memory of the element, in bytes.
  std::size_t bytes() const { return sizeof(EarlyMessage) + arguments.size(); }
};

/// The steps whose messages an element accepts, by member function (ElementBase::when()), and its messages of
/// later steps.
class AwaitedSteps {
 public:
  enum class Time : std::uint8_t { early, due, late };

  /// Accepts messages of a step. After `count` messages, or without limit if it is not specified, the step is
  /// complete and `then` is to be called. Throws Error (usage) unless the step is later than the previous
  /// one, which must be complete if it has a count.
  void await(std::uint32_t function, Step step, std::optional<std::int64_t> count, std::uint32_t then);
  /// Compares a message with the step that the element accepts. Before the first await(), all are early.
  Time time_of(std::uint32_t function, Step step) const;
  /// Returns the last awaited step; nothing before the first await().
  std::optional<Step> step(std::uint32_t function) const;
  /// Counts a message that is due. Returns the function to call after it if it completes the step.
  std::optional<std::uint32_t> count_message(std::uint32_t function);

  void keep(Step step, EarlyMessage message);
  /// Returns the messages of the awaited step, in the order of their arrival, and forgets them.
  std::vector<EarlyMessage> take(std::uint32_t function);
  /// Returns all early messages.
  std::vector<EarlyMessage> take_all();
  std::size_t early_count() const { return early_count_; }
  std::size_t early_bytes() const { return early_bytes_; }

  /// The first early message of a function, for reports.
  struct First {
    std::uint32_t function;
    Step step;
  };
  std::optional<First> first_early() const;

  /// Packs all of this for another rank, or for a checkpoint. Functions are identified by their names.
  std::vector<std::byte> packed() const;
  /// Unpacks the steps of an element, by its collection and its number in it. Throws Error (bad_input) for
  /// functions that the program does not have.
  static AwaitedSteps unpacked(std::span<const std::byte> bytes, std::uint32_t collection,
                               std::uint64_t number);
  /// Makes this rank the sender of all early messages: IDs of elements differ after a restart.
  void forget_senders(int rank);

 private:
  struct Gate {
    std::int64_t step = 0;
    std::int64_t missing = 0;  ///< number of messages until the step is complete
    std::uint32_t then = 0;
    bool is_awaited = false;  ///< await() has been called
    bool is_counted = false;
    std::multimap<std::int64_t, EarlyMessage> early;  ///< by step
  };

  std::map<std::uint32_t, Gate> gates_;  // by function
  std::size_t early_count_ = 0;
  std::size_t early_bytes_ = 0;
};

}  // namespace plimsoll::objects
