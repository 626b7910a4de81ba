// Delivers messages to elements, and records work and messages.
#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/current_error.hpp>
#include <plimsoll/support/error.hpp>

#include "objects/elements/element_key.hpp"
#include "objects/messaging/handler_tables.hpp"
#include "objects/messaging/local_broadcast.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::inline v0_1::objects {

namespace {

constexpr int n_local_per_turn = 1000;  // local messages between two looks for messages of other ranks

runtime::Endpoint endpoint(ObjectId from, int origin) {
  return from == ObjectId::none ? runtime::Endpoint::node(origin) : runtime::Endpoint(from);
}

}  // namespace

/// Calls a member function of an element, which may destroy itself. Notes what it throws.
template <class Call>
void ObjectSystem::Parts::call_back(ElementBase& element, const Call& call) {
  working = &element;
  try {
    call();
  } catch (...) {
    note_error(name_of(*element.collection_, element.number_));
  }
  working = nullptr;
  if (element.is_destroyed_) erase(element);
}

/// The same; the time that it takes is work of the element.
template <class Call>
void ObjectSystem::Parts::run(ElementBase& element, const Call& call) {
  call_back(element, [&] {
    const auto work = recorder.work_on(element.handle_);
    call();
  });
}

void ObjectSystem::Parts::finish_migration(ElementBase& element) {
  call_back(element, [&] { element.just_migrated(); });
}

void ObjectSystem::Parts::resume(ElementBase& element) {
  run(element, [&] { element.resume_from_sync(); });
}

void ObjectSystem::Parts::note_error(std::string_view place) {
  if (error) return;
  const Error thrown = support::current_error();
  Diagnostic diagnostic = thrown.diagnostic();
  diagnostic.what = fmt::format("phase {}: {}: {}", recorder.phase(), place, diagnostic.what);
  error.emplace(thrown.kind(), std::move(diagnostic));
}

void ObjectSystem::Parts::deliver(std::span<const std::byte> message) {
  Envelope envelope;
  std::memcpy(&envelope, message.data(), sizeof envelope);
  try {
    deliver(envelope, message.subspan(sizeof envelope));
  } catch (...) {
    note_error(fmt::format("message from rank {}", envelope.origin));
  }
}

void ObjectSystem::Parts::deliver(const Envelope& envelope, std::span<const std::byte> arguments) {
  switch (envelope.kind) {
    case Envelope::Kind::send: {
      ElementBase* const element = find(envelope.collection, envelope.number);
      if (element == nullptr) return forward(envelope, arguments);
      recorder.record_message(endpoint(envelope.from, envelope.origin), element->id_, arguments.size());
      if (envelope.is_forwarded) tell_location(envelope, envelope.number);
      return run(*element, [&] { handler(envelope.function)(*element, arguments); });
    }
    case Envelope::Kind::broadcast: {
      queue.emplace<LocalBroadcast>(envelope, arguments);
      return send_on(envelope, arguments);
    }
    case Envelope::Kind::collective: return;  // not sent to other ranks
    case Envelope::Kind::section: return deliver_to_members(envelope, arguments);
    case Envelope::Kind::create: {
      CollectionBase& receiver = collection(envelope.collection);
      try {
        create(receiver, envelope.number, [&] { return creator(envelope.function)(arguments); });
      } catch (...) {
        note_error(name_of(receiver, envelope.number));
      }
      return;
    }
    case Envelope::Kind::reduce: return merge_partial(envelope, arguments);
    case Envelope::Kind::location:
      return remember_location(object_number_of(envelope.collection, envelope.number), envelope.origin);
  }
}

bool ObjectSystem::Parts::deliver_local() {
  const bool has_any = !queue.empty();
  for (int k = 0; k < n_local_per_turn && !queue.empty(); ++k) {
    queue.pop([&](LocalMessage& message) {
      try {
        deliver(message);
      } catch (...) {
        note_error("local message");
      }
    });
  }
  return has_any;
}

void ObjectSystem::Parts::deliver(LocalMessage& message) {
  CollectionBase& receivers = collection(message.collection);
  if (message.type == &LocalBroadcast::type_of_broadcast)
    return deliver(receivers, static_cast<const LocalBroadcast&>(message));
  ElementBase* const element = receivers.table_.find(message.number);
  if (element == nullptr) {  // it has migrated since
    message.type->pack(
        message, system.room(receivers, message.number, message.type->handler, message.bytes, message.from));
    return;
  }
  recorder.record_message(endpoint(message.from, ranks.rank()), element->id_, message.bytes);
  run(*element, [&] { message.type->deliver(message, *element); });
}

void ObjectSystem::Parts::deliver(const CollectionBase& receivers, const LocalBroadcast& message) {
  if (message.envelope.kind == Envelope::Kind::section)
    return send_to_members(message.envelope,
                           deliver_to_members(message.envelope, message.members, message.arguments),
                           message.arguments);
  receivers.table_.for_each(
      [&](ElementBase& element) { deliver_broadcast(element, message.envelope, message.arguments); });
}

void ObjectSystem::Parts::deliver_broadcast(ElementBase& element, const Envelope& envelope,
                                            std::span<const std::byte> arguments) {
  if (envelope.kind != Envelope::Kind::collective)
    recorder.record_broadcast(endpoint(envelope.from, envelope.origin), element.id_, arguments.size());
  run(element, [&] { handler(envelope.function)(element, arguments); });
}

// Ranks form a binary tree, whose root is the rank of the sender.
void ObjectSystem::Parts::send_on(const Envelope& envelope, std::span<const std::byte> arguments) {
  const int size = ranks.size();
  const int place = (ranks.rank() - envelope.origin + size) % size;
  for (std::int64_t child = 2 * std::int64_t{place} + 1; child <= 2 * std::int64_t{place} + 2; ++child) {
    if (child >= size) break;
    const int to = static_cast<int>((child + envelope.origin) % size);
    std::ranges::copy(arguments,
                      put(envelope, exchange.append(to, sizeof envelope + arguments.size())).begin());
  }
}

void ObjectSystem::send_to_all(CollectionBase& collection, std::uint32_t handler,
                               std::span<const std::byte> arguments) {
  const Envelope envelope{.from = sender(),
                          .collection = collection.number_,
                          .function = handler,
                          .origin = rank(),
                          .kind = Envelope::Kind::broadcast};
  parts_->queue.emplace<LocalBroadcast>(envelope, arguments);
  parts_->send_on(envelope, arguments);
}

void ObjectSystem::send_to_all_here(CollectionBase& collection, std::uint32_t handler,
                                    std::span<const std::byte> arguments) {
  parts_->expect_main_program("broadcast_collective()");
  const Envelope envelope{.collection = collection.number_,
                          .function = handler,
                          .origin = rank(),
                          .kind = Envelope::Kind::collective};
  parts_->collective_broadcasts += fmt::format(
      ", after broadcast_collective() to collection {} (function {})", collection.number_, handler);
  parts_->queue.emplace<LocalBroadcast>(envelope, arguments);
}

void ObjectSystem::send_to_home(CollectionBase& collection, std::uint64_t number, std::uint32_t creator,
                                std::span<const std::byte> arguments) {
  const int home = collection.home_of(number);
  const Envelope envelope{.number = number,
                          .collection = collection.number_,
                          .function = creator,
                          .origin = rank(),
                          .kind = Envelope::Kind::create};
  if (home == rank()) return parts_->deliver(envelope, arguments);
  std::ranges::copy(arguments,
                    put(envelope, parts_->exchange.append(home, sizeof envelope + arguments.size())).begin());
}

ObjectId ObjectSystem::sender() const {
  return parts_->working == nullptr ? ObjectId::none : parts_->working->id_;
}

LocalQueue& ObjectSystem::local_queue() {
  return parts_->queue;
}

}  // namespace plimsoll::objects
