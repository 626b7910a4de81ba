// Broadcasts to sections. A message contains the numbers of the members that its sender believes to be on the
// receiving rank. The receiver sends it on to those that are elsewhere.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "objects/messaging/packed_local_message.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

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
      handle_missing(receivers, member);
  }
  for (const auto& [to, its_members] : by_rank) {
    Envelope to_rank = envelope;
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

}  // namespace plimsoll::objects
