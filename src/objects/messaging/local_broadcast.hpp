#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/objects/local_queue.hpp>

#include "objects/messaging/envelope.hpp"

namespace plimsoll::inline v0_1::objects {

/// Broadcast to the elements of a collection, or of a section, on this rank.
struct LocalBroadcast : LocalMessage {
  LocalBroadcast(const Envelope& message, std::span<const std::byte> bytes,
                 std::vector<std::uint64_t> its_members = {})
      : LocalMessage{&type_of_broadcast, message.collection, 0, message.from, bytes.size()},
        envelope(message),
        arguments(bytes.begin(), bytes.end()),
        members(std::move(its_members)) {}

  static void destroy(LocalMessage& message) { static_cast<LocalBroadcast&>(message).~LocalBroadcast(); }
  static constexpr Type type_of_broadcast{0, nullptr, nullptr, &destroy};

  Envelope envelope;
  std::vector<std::byte> arguments;
  std::vector<std::uint64_t> members;  ///< of a section; for a broadcast to all elements, nothing
};

}  // namespace plimsoll::objects
