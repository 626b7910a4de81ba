#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plimsoll/objects/local_queue.hpp>

#include "objects/messaging/envelope.hpp"

namespace plimsoll::inline v0_1::objects {

/// Message in the local queue to this rank, or to all elements on it.
struct MessageToAll : LocalMessage {
  MessageToAll(const Envelope& envelope_, std::span<const std::byte> arguments_)
      : LocalMessage{.type = &type_of_message},
        envelope(envelope_),
        arguments(arguments_.begin(), arguments_.end()) {}

  static void destroy(LocalMessage& message) { static_cast<MessageToAll&>(message).~MessageToAll(); }
  static constexpr Type type_of_message{0, nullptr, nullptr, &destroy};

  Envelope envelope;
  std::vector<std::byte> arguments;
};

}  // namespace plimsoll::objects
