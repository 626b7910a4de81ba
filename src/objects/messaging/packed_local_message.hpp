#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/objects/local_queue.hpp>

#include "objects/messaging/envelope.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Message in the local queue to this rank, to all elements of a collection on it, to some of them, or to an
/// element that may be under construction on it.
struct PackedLocalMessage : LocalMessage {
  struct Content {
    Envelope envelope;
    std::vector<std::byte> arguments;
    std::vector<std::uint64_t> members;  ///< of a section; empty for other messages
  };

  PackedLocalMessage(const Envelope& envelope, std::span<const std::byte> arguments,
                     std::vector<std::uint64_t> members = {})
      : LocalMessage(type_of_message),
        content{envelope, {arguments.begin(), arguments.end()}, std::move(members)} {}

  static void destroy(LocalMessage& message) {
    static_cast<PackedLocalMessage&>(message).~PackedLocalMessage();
  }
  static constexpr Type type_of_message{0, nullptr, nullptr, &destroy};

  Content content;
};

}  // namespace plimsoll::objects
