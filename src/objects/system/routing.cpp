// Finds the ranks of elements. A message goes to the rank where the sender believes the element to be: where
// it was last, else its home. A rank that does not have the element asks its directory, which the rank
// Directory::directory_rank() keeps: it knows all elements that are away from home.
//
// Bounds how long messages wait in buffers of a busy rank, and how much memory messages under way need.
//
// Calls of an element on the same rank, without a message.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "objects/elements/element_identity.hpp"
#include "objects/messaging/envelope.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

/// Above this number, some 50 MB, a rank forgets all locations, and asks again when needed.
constexpr std::size_t max_known_locations = std::size_t{1} << 20;

using Clock = std::chrono::steady_clock;

/// Time after which a busy rank sends messages for which it has not filled a buffer.
constexpr auto flush_interval = std::chrono::milliseconds(1);
/// Number of short member functions per reading of the clock, which takes about as long as one of them. The
/// first long ones after short ones may therefore delay messages by as many calls.
constexpr int n_calls_per_reading = 32;
/// Maximum wait before a buffer is sent. A rank whose receivers do not receive for longer, because their
/// member functions take long, is slow, but it does not wait for ever for a rank that has failed.
constexpr auto max_wait = std::chrono::seconds(1);

}  // namespace

std::optional<int> ObjectSystem::Parts::next_rank(const CollectionBase& collection,
                                                  Envelope& envelope) const {
  using enum Envelope::Stage;
  if (envelope.stage == to_directory) {
    const ObjectId id = id_of(collection, envelope.number);
    const int directory_rank = directory.directory_rank(id);
    if (directory_rank != ranks.rank()) return directory_rank;
    envelope.stage = to_declared_rank;
    const std::optional<int> declared = directory.declared_rank(id);
    if (declared && declared != ranks.rank()) return declared;
  }
  const int home = collection.home_of(envelope.number);
  if (envelope.stage == to_home || home == ranks.rank()) return {};
  envelope.stage = to_home;
  return home;
}

std::optional<int> ObjectSystem::Parts::first_rank(const CollectionBase& collection,
                                                   Envelope& envelope) const {
  const auto known = known_locations.find(object_number_of(collection.number_, envelope.number));
  if (known != known_locations.end() && known->second != ranks.rank()) return known->second;
  const int home = collection.home_of(envelope.number);
  return home == ranks.rank() ? next_rank(collection, envelope) : home;
}

std::span<std::byte> ObjectSystem::Parts::append(int to, const Envelope& envelope, std::size_t bytes) {
  return put(envelope, exchange.append(to, sizeof envelope + bytes));
}

void ObjectSystem::Parts::append(int to, const Envelope& envelope, std::span<const std::byte> arguments) {
  std::ranges::copy(arguments, append(to, envelope, arguments.size()).begin());
}

/// Keeps a message for an element that no rank has yet until messages are delivered: it may be under
/// construction here.
MessageRoom ObjectSystem::Parts::keep(const Envelope& envelope, std::size_t bytes) {
  auto& content = queue.emplace<PackedLocalMessage>(envelope, std::vector<std::byte>(bytes)).content;
  return {reinterpret_cast<std::byte*>(&content.envelope), content.arguments};
}

void cancel(const MessageRoom& room) {
  Envelope envelope;
  std::memcpy(&envelope, room.envelope, sizeof envelope);
  envelope.kind = Envelope::Kind::cancelled;
  std::memcpy(room.envelope, &envelope, sizeof envelope);
}

// Sends on a message for an element that is not here.
void ObjectSystem::Parts::forward(Envelope envelope, std::span<const std::byte> arguments) {
  CollectionBase& collection = this->collection(envelope.collection);
  const std::optional<int> to = next_rank(collection, envelope);
  if (!to) return handle_missing(envelope);
  envelope.is_forwarded = true;
  append(*to, envelope, arguments);
}

/// A message has no receiver: drops it if its sender or its collection wants so, otherwise notes the error.
void ObjectSystem::Parts::handle_missing(const Envelope& envelope) {
  CollectionBase& collection = this->collection(envelope.collection);
  if (envelope.may_drop || collection.properties_.drop_undeliverable) {
    ++collection.dropped_messages_;
    ++n_dropped;
    return;
  }
  if (error) return;
  error = support::usage_error(fmt::format("phase {}: message to {}, which does not exist", recorder.phase(),
                                           name_of(collection, envelope.number)),
                               "create the element in an earlier run_until_quiet(), do not destroy it while "
                               "messages are under way, or use send_or_drop() or drop_undeliverable");
}

MessageRoom ObjectSystem::room(CollectionBase& collection, std::uint64_t number, std::uint32_t handler,
                               bool may_drop, std::size_t bytes, ObjectId from) {
  Envelope envelope{.number = number,
                    .from = from,
                    .collection = collection.number_,
                    .function = handler,
                    .origin = rank(),
                    .may_drop = may_drop};
  const std::optional<int> to = parts_->first_rank(collection, envelope);
  if (!to) return parts_->keep(envelope, bytes);
  const std::span<std::byte> arguments = parts_->append(*to, envelope, bytes);
  return {arguments.data() - sizeof envelope, arguments};
}

void ObjectSystem::send_large(CollectionBase& collection, std::uint64_t number, std::uint32_t handler,
                              bool may_drop, const PackedRest& rest, LargeArgument large) {
  Parts& parts = *parts_;
  Envelope envelope{.number = number,
                    .from = sender(),
                    .collection = collection.number_,
                    .function = handler,
                    .origin = rank(),
                    .may_drop = may_drop};
  const std::optional<int> to = parts.first_rank(collection, envelope);
  if (!to) {
    const auto [kept, whole] = parts.keep(envelope, rest.bytes.size() + large.bytes.size());
    const auto after = rest.bytes.begin() + static_cast<std::ptrdiff_t>(rest.position);
    const auto large_begin = std::copy(rest.bytes.begin(), after, whole.begin());
    std::copy(after, rest.bytes.end(), std::ranges::copy(large.bytes, large_begin).out);
    return;
  }
  std::vector<std::byte> message(sizeof envelope + rest.bytes.size());
  std::ranges::copy(rest.bytes, put(envelope, message).begin());
  parts.exchange.append(
      *to, message,
      {.owner = std::move(large.owner), .bytes = large.bytes, .position = sizeof envelope + rest.position});
}

/// Tells the sender of a message on which rank the receiver is.
void ObjectSystem::Parts::tell_location(const Envelope& message, std::uint64_t number) {
  if (message.origin == ranks.rank()) return;
  const Envelope location{.number = number,
                          .collection = message.collection,
                          .origin = ranks.rank(),
                          .kind = Envelope::Kind::location};
  append(message.origin, location, std::size_t{0});
}

void ObjectSystem::Parts::remember_location(std::uint64_t object_number, int rank) {
  if (known_locations.size() >= max_known_locations) known_locations.clear();
  known_locations[object_number] = rank;
}

/// Called after each member function of an element.
void ObjectSystem::Parts::flush_if_due() {
  if (--n_calls_to_reading > 0) return;
  const Clock::time_point now = Clock::now();
  const bool is_due = now - last_flush >= flush_interval;
  n_calls_to_reading = is_due ? 1 : n_calls_per_reading;  // after each call if calls take long
  if (!is_due) return;
  exchange.flush();
  wait_watch.look();
  last_flush = now;
}

/// Called when much has been sent that no other rank has received. Waits only in run_until_quiet(), which all
/// ranks call: a rank that is not yet there might wait for this one.
void ObjectSystem::Parts::wait_for_receivers() {
  if (!is_delivering) return;
  const auto idle = recorder.wait();
  const Clock::time_point end = Clock::now() + max_wait;
  for (mpi::Backoff backoff; exchange.is_congested() && Clock::now() < end; backoff.pause())
    exchange.relieve();
}

CollectionBase& ObjectSystem::collection(std::uint32_t number) const {
  return parts_->collection(number);
}

std::uint64_t ObjectSystem::add_request(std::shared_ptr<void> place) {
  if (parts_->working != nullptr)
    throw support::usage_error(
        fmt::format("{} requests a future, which stays on its rank while the element may migrate",
                    parts_->name_of(*parts_->working->collection_, parts_->working->number_)),
        "specify the member function that receives the reply: request<&T::method, &R::receive>(proxy())");
  const std::uint64_t number = ++parts_->n_requests;
  parts_->awaited_replies.emplace(number, std::move(place));
  return number;
}

std::shared_ptr<void> ObjectSystem::take_request(std::uint64_t number) {
  const auto found = parts_->awaited_replies.find(number);
  PLIMSOLL_EXPECT(found != parts_->awaited_replies.end());
  std::shared_ptr<void> place = std::move(found->second);
  parts_->awaited_replies.erase(found);
  return place;
}

ElementBase& ObjectSystem::invoked(const CollectionBase& collection, std::uint64_t number,
                                   std::uint64_t bytes) {
  ElementBase* const element = collection.table().find(number);
  if (element == nullptr)
    throw support::usage_error(
        parts_->name_of(collection, number) + " is invoked on a rank that does not have it",
        "send it a message, or check with find() that it is on this rank");
  const ObjectId rank_object = recorder().id(recorder().rank_object());
  recorder().record_edge(lbdata::CommCategory::LocalInvoke,
                         sender() == ObjectId::none ? rank_object : sender(), element->id_, bytes);
  return *element;
}

ObjectSystem::Invocation::Invocation(ObjectSystem& system, ElementBase& element)
    : parts_(*system.parts_), element_(element), outer_(parts_.begin_call(element)) {
  parts_.has_worked = true;
  parts_.recorder.begin(element_.handle_);
}

ObjectSystem::Invocation::~Invocation() {
  parts_.recorder.end(element_.handle_);
  parts_.end_call(element_, outer_);
}

}  // namespace plimsoll::objects
