// Delivers messages to elements, and records work and messages.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "objects/elements/element_identity.hpp"
#include "objects/messaging/envelope.hpp"
#include "objects/messaging/handler_tables.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

// Minimum number of local messages between two looks for messages of other ranks.
constexpr std::int64_t n_local_per_turn = 1000;

runtime::Endpoint endpoint(ObjectId from, int origin) {
  return from == ObjectId::none ? runtime::Endpoint::node(origin) : runtime::Endpoint(from);
}

}  // namespace

/// Calls a member function of an element, which may destroy itself. Notes what it throws.
template <class Call>
void ObjectSystem::Parts::call_back(ElementBase& element, const Call& call) {
  begin_call(element);
  try {
    call();
  } catch (...) {
    note_error(name_of(*element.collection_, element.number_));
  }
  end_call(element, nullptr);
}

/// Returns the element that called this one.
ElementBase* ObjectSystem::Parts::begin_call(ElementBase& element) {
  ++element.n_running_;
  return std::exchange(working, &element);
}

void ObjectSystem::Parts::end_call(ElementBase& element, ElementBase* outer) {
  working = outer;
  if (--element.n_running_ == 0 && element.is_destroyed_) erase(element);
}

/// The same; the time that it takes is work of the element.
template <class Call>
void ObjectSystem::Parts::run(ElementBase& element, const Call& call) {
  has_worked = true;
  call_back(element, [&] {
    const auto work = recorder.work_on(element.handle_);
    call();
  });
  flush_if_due();
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
  if (is_discarded(envelope)) return;
  switch (envelope.kind) {
    case Envelope::Kind::send: {
      ElementBase* const element = find(envelope.collection, envelope.number);
      if (element == nullptr) return forward(envelope, arguments);
      recorder.record_message(endpoint(envelope.from, envelope.origin), element->id_, arguments.size());
      if (envelope.is_forwarded) tell_location(envelope, envelope.number);
      return run(*element, [&] { function_of<DeliverPacked>(envelope.function)(*element, arguments); });
    }
    case Envelope::Kind::broadcast:
    case Envelope::Kind::call_all: return send_everywhere(envelope, arguments);
    case Envelope::Kind::broadcast_here:
    case Envelope::Kind::call: return deliver_here(envelope, arguments);
    case Envelope::Kind::section: return deliver_to_members(envelope, arguments);
    case Envelope::Kind::create: {
      CollectionBase& receiver = collection(envelope.collection);
      try {
        create(receiver, envelope.number,
               [&] { return function_of<ConstructPacked>(envelope.function)(arguments); });
      } catch (...) {
        note_error(name_of(receiver, envelope.number));
      }
      return;
    }
    case Envelope::Kind::reduce: return merge_partial(envelope, arguments);
    case Envelope::Kind::cancelled: return;
    case Envelope::Kind::location:
      return remember_location(object_number_of(envelope.collection, envelope.number), envelope.origin);
  }
}

bool ObjectSystem::Parts::is_discarded(const Envelope& envelope) const {
  using enum Envelope::Kind;
  return envelope.kind == cancelled || (envelope.kind != call && envelope.kind != call_all &&
                                        failed_collections.contains(envelope.collection));
}

/// Delivers local messages: at least as many as this rank has just received, which may all have been
/// broadcasts that are now in the queue. If much has arrived from other ranks meanwhile, delivers that first.
bool ObjectSystem::Parts::deliver_local(std::int64_t received) {
  const bool has_any = !queue.empty();
  std::int64_t left = std::max(n_local_per_turn, received);
  for (bool is_flooded = false; left > 0 && !queue.empty() && !is_flooded; --left) {
    queue.pop([&](LocalMessage& message) {
      try {
        deliver(message);
      } catch (...) {
        note_error("local message");
      }
    });
    is_flooded = exchange.is_flooded();
  }
  return has_any;
}

void ObjectSystem::Parts::deliver(LocalMessage& message) {
  if (message.type == &PackedLocalMessage::type_of_message) {
    const auto& [envelope, arguments, members] = static_cast<PackedLocalMessage&>(message).content;
    if (is_discarded(envelope)) return;
    if (envelope.kind == Envelope::Kind::send) return deliver(envelope, arguments);
    if (envelope.kind != Envelope::Kind::section) return deliver_here(envelope, arguments);
    return send_to_members(envelope, deliver_to_members(envelope, members, arguments), arguments);
  }
  if (failed_collections.contains(message.collection)) return;
  CollectionBase& receivers = collection(message.collection);
  ElementBase* const element = receivers.table_.find(message.number);
  if (element == nullptr) {  // it has migrated since
    const MessageRoom room =
        system.room(receivers, message.number, message.type->handler, message.bytes, message.from);
    return fill(room, [&](std::span<std::byte> arguments) { message.type->pack(message, arguments); });
  }
  recorder.record_message(endpoint(message.from, ranks.rank()), element->id_, message.bytes);
  run(*element, [&] { message.type->deliver(message, *element); });
}

/// Delivers a message to this rank, or to all elements on it.
void ObjectSystem::Parts::deliver_here(const Envelope& envelope, std::span<const std::byte> arguments) {
  using enum Envelope::Kind;
  if (envelope.kind == call || envelope.kind == call_all) return call_function(envelope, arguments);
  collection(envelope.collection).table_.for_each([&](ElementBase& element) {
    deliver_broadcast(element, envelope, arguments);
  });
}

void ObjectSystem::Parts::deliver_broadcast(ElementBase& element, const Envelope& envelope,
                                            std::span<const std::byte> arguments) {
  const runtime::Endpoint from = endpoint(envelope.from, envelope.origin);
  if (envelope.kind == Envelope::Kind::broadcast_here)
    recorder.record_edge(lbdata::CommCategory::CollectiveToCollectionBcast, from, element.id_,
                         arguments.size());
  else
    recorder.record_broadcast(from, element.id_, arguments.size());
  run(element, [&] { function_of<DeliverPacked>(envelope.function)(element, arguments); });
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
  parts_->append(home, envelope, arguments);
}

ObjectId ObjectSystem::sender() const {
  return parts_->working == nullptr ? ObjectId::none : parts_->working->id_;
}

LocalQueue& ObjectSystem::local_queue() {
  return parts_->queue;
}

}  // namespace plimsoll::objects
