// Messages to ranks, and to all elements of a collection. What a rank sends to itself waits in the local
// queue.
#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

#include "objects/messaging/handler_tables.hpp"
#include "objects/messaging/packed_local_message.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Sends a message to this rank and to those below it in the tree.
void ObjectSystem::Parts::send_everywhere(const Envelope& envelope, std::span<const std::byte> arguments) {
  queue.emplace<PackedLocalMessage>(envelope, arguments);
  send_on(envelope, arguments);
}

// Ranks form a binary tree, whose root is the rank of the sender.
void ObjectSystem::Parts::send_on(const Envelope& envelope, std::span<const std::byte> arguments) {
  const int size = ranks.size();
  const int place = (ranks.rank() - envelope.origin + size) % size;
  for (std::int64_t child = 2 * std::int64_t{place} + 1; child <= 2 * std::int64_t{place} + 2; ++child) {
    if (child >= size) break;
    const int to = static_cast<int>((child + envelope.origin) % size);
    append(to, envelope, arguments);
  }
}

/// Calls a function of the program on behalf of this rank.
void ObjectSystem::Parts::call_function(const Envelope& envelope, std::span<const std::byte> arguments) {
  const ObjectHandle rank_object = recorder.rank_object();
  // No category has a rank at both ends: between ranks, messages are those of the ranks' own objects, as in
  // vt.
  const bool is_from_rank = envelope.from == ObjectId::none;
  const runtime::Endpoint from = is_from_rank ? runtime::rank_object_id(envelope.origin) : envelope.from;
  const runtime::Endpoint to =
      is_from_rank ? runtime::Endpoint(recorder.id(rank_object)) : runtime::Endpoint::node(ranks.rank());
  if (envelope.kind == Envelope::Kind::call_all)
    recorder.record_broadcast(from, to, arguments.size());
  else
    recorder.record_message(from, to, arguments.size());
  const auto work = recorder.work_on(rank_object);
  try {
    rank_function(envelope.function)(system, arguments);
  } catch (...) {
    note_error(fmt::format("function {} on rank {}", name_of_rank_function(envelope.function), ranks.rank()));
  }
}

void ObjectSystem::send_to_all(CollectionBase& collection, std::uint32_t handler,
                               std::span<const std::byte> arguments) {
  parts_->send_everywhere({.from = sender(),
                           .collection = collection.number_,
                           .function = handler,
                           .origin = rank(),
                           .kind = Envelope::Kind::broadcast},
                          arguments);
}

void ObjectSystem::send_to_all_here(CollectionBase& collection, std::uint32_t handler,
                                    std::span<const std::byte> arguments) {
  parts_->expect_main_program("broadcast_collective()");
  parts_->collective_broadcasts.push_back({collection.number_, handler});
  parts_->queue.emplace<PackedLocalMessage>(Envelope{.collection = collection.number_,
                                                     .function = handler,
                                                     .origin = rank(),
                                                     .kind = Envelope::Kind::broadcast_here},
                                            arguments);
}

void ObjectSystem::call_on(int to, std::uint32_t function, std::span<const std::byte> arguments) {
  expect_rank(to, "send_to_rank()");
  const Envelope envelope{
      .from = sender(), .function = function, .origin = rank(), .kind = Envelope::Kind::call};
  if (to == rank())
    parts_->queue.emplace<PackedLocalMessage>(envelope, arguments);
  else
    parts_->append(to, envelope, arguments);
}

void ObjectSystem::call_on_all(std::uint32_t function, std::span<const std::byte> arguments) {
  parts_->send_everywhere(
      {.from = sender(), .function = function, .origin = rank(), .kind = Envelope::Kind::call_all},
      arguments);
}

}  // namespace plimsoll::objects
