// Messages to ranks, and to all elements of a collection. What a rank sends to itself waits in the local
// queue.
//
// Broadcasts to sections. A message contains the numbers of the members that its sender believes to be on the
// receiving rank. The receiver sends it on to those that are elsewhere.
//
// Delivery of messages to elements, with records of work and messages.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "objects/elements/element_identity.hpp"
#include "objects/messaging/envelope.hpp"
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
    function_of<CallPacked>(envelope.function)(system, arguments);
  } catch (...) {
    note_error(
        fmt::format("function {} on rank {}", name_of_function<CallPacked>(envelope.function), ranks.rank()));
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

void ObjectSystem::send_to_members(CollectionBase& collection, std::span<const std::uint64_t> members,
                                   std::uint32_t handler, std::span<const std::byte> arguments) {
  const Envelope envelope{.from = sender(),
                          .collection = collection.number_,
                          .function = handler,
                          .origin = rank(),
                          .kind = Envelope::Kind::section};
  std::vector<std::uint64_t> here;
  std::vector<std::uint64_t> elsewhere;
  for (const std::uint64_t member : members) {
    Envelope to_member = envelope;
    to_member.number = member;
    // A member that no rank has may be under construction here.
    const bool may_be_here =
        collection.table_.find(member) != nullptr || !parts_->first_rank(collection, to_member);
    (may_be_here ? here : elsewhere).push_back(member);
  }
  if (!here.empty()) parts_->queue.emplace<PackedLocalMessage>(envelope, arguments, std::move(here));
  parts_->send_to_members(envelope, elsewhere, arguments);
}

/// Sends one message to each rank that has members, as far as this rank knows.
void ObjectSystem::Parts::send_to_members(const Envelope& envelope, std::span<const std::uint64_t> members,
                                          std::span<const std::byte> arguments) {
  CollectionBase& receivers = collection(envelope.collection);
  std::map<std::pair<int, Envelope::Stage>, std::vector<std::uint64_t>> by_rank;
  for (const std::uint64_t member : members) {
    Envelope to_member = envelope;
    to_member.number = member;
    const std::optional<int> to =
        envelope.is_forwarded ? next_rank(receivers, to_member) : first_rank(receivers, to_member);
    // The sender's message is one per rank, though the directory may have named this rank for some members.
    const Envelope::Stage stage = envelope.is_forwarded ? to_member.stage : envelope.stage;
    if (to)
      by_rank[{*to, stage}].push_back(member);
    else
      handle_missing(to_member);
  }
  for (const auto& [to, its_members] : by_rank) {
    Envelope to_rank = envelope;
    to_rank.kind = Envelope::Kind::section;  // of a broadcast that waited for its step: here is one member
    to_rank.number = its_members.size();
    to_rank.stage = to.second;
    const auto list = std::as_bytes(std::span(its_members));
    const std::span<std::byte> body = append(to.first, to_rank, list.size() + arguments.size());
    std::ranges::copy(list, body.begin());
    std::ranges::copy(arguments, body.subspan(list.size()).begin());
  }
}

/// Delivers a message of another rank.
void ObjectSystem::Parts::deliver_to_members(const Envelope& envelope, std::span<const std::byte> message) {
  std::vector<std::uint64_t> members(envelope.number);
  const std::size_t list_bytes = members.size() * sizeof members[0];
  std::memcpy(members.data(), message.data(), list_bytes);
  const std::span<const std::byte> arguments = message.subspan(list_bytes);
  const std::vector<std::uint64_t> elsewhere = deliver_to_members(envelope, members, arguments);
  Envelope forwarded = envelope;
  forwarded.is_forwarded = true;
  send_to_members(forwarded, elsewhere, arguments);
}

/// Calls the members on this rank and returns the others.
std::vector<std::uint64_t> ObjectSystem::Parts::deliver_to_members(const Envelope& envelope,
                                                                   std::span<const std::uint64_t> members,
                                                                   std::span<const std::byte> arguments) {
  const CollectionBase& receivers = collection(envelope.collection);
  std::vector<std::uint64_t> elsewhere;
  for (const std::uint64_t member : members) {
    ElementBase* const element = receivers.table_.find(member);
    if (element == nullptr) {
      elsewhere.push_back(member);
      continue;
    }
    if (envelope.is_forwarded) tell_location(envelope, member);
    deliver_broadcast(*element, envelope, arguments);
  }
  return elsewhere;
}

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

/// Does the same for a message, which may complete a step of the element.
template <class Call>
void ObjectSystem::Parts::run_message(ElementBase& element, std::uint32_t function, const Call& call) {
  if (!function_has_step(function) || element.steps_ == nullptr) return run(element, call);
  const std::optional<std::uint32_t> then = element.steps_->count_message(function);
  run(element, [&] {
    call();
    if (then && !element.is_destroyed_) function_of<DeliverPacked> (*then)(element, {});
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
  if (is_discarded(envelope)) return;
  switch (envelope.kind) {
    case Envelope::Kind::send: {
      ElementBase* const element = find(envelope.collection, envelope.number);
      if (element == nullptr) return forward(envelope, arguments);
      if (envelope.is_forwarded) tell_location(envelope, envelope.number);
      if (!is_due(*element, envelope, arguments)) return;
      recorder.record_message(endpoint(envelope.from, envelope.origin), element->id_, arguments.size());
      return run_message(*element, envelope.function,
                         [&] { function_of<DeliverPacked>(envelope.function)(*element, arguments); });
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
    if (members.empty()) return deliver_here(envelope, arguments);
    return send_to_members(envelope, deliver_to_members(envelope, members, arguments), arguments);
  }
  if (failed_collections.contains(message.collection)) return;
  CollectionBase& receivers = collection(message.collection);
  ElementBase* const element = receivers.table_.find(message.number);
  if (element == nullptr) {  // it has migrated since
    const MessageRoom room = system.room(receivers, message.number, message.type->handler, message.may_drop,
                                         message.bytes, message.from);
    return fill(room, [&](std::span<std::byte> arguments) { message.type->pack(message, arguments); });
  }
  if (!is_due(*element, message)) return;
  recorder.record_message(endpoint(message.from, ranks.rank()), element->id_, message.bytes);
  const auto call = [&] { message.type->deliver(message, *element); };
  if (message.type->step == nullptr) return run(*element, call);
  run_message(*element, message.type->handler, call);
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
  if (!is_due(element, envelope, arguments)) return;
  const runtime::Endpoint from = endpoint(envelope.from, envelope.origin);
  if (envelope.kind == Envelope::Kind::broadcast_here)
    recorder.record_edge(lbdata::CommCategory::CollectiveToCollectionBcast, from, element.id_,
                         arguments.size());
  else
    recorder.record_broadcast(from, element.id_, arguments.size());
  run_message(element, envelope.function,
              [&] { function_of<DeliverPacked>(envelope.function)(element, arguments); });
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
