#include "interpose/counts/messages.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::Exchange;
using collectives::IntegerSpan;

namespace {

/// Makes the messages of one side. Remembers the extent of the last type.
class MessageMaker {
 public:
  MessageMaker(Exchange exchange, const Side& side) : exchange_(exchange), side_(side) {}

  Message to_all() const {
    const std::int64_t count = side_.counts[0];
    return count == 0 ? Message() : Message{at(0), count, side_.types[0]};
  }

  Message of_peer(std::size_t peer) {
    const std::int64_t count = side_.counts[exchange_ == Exchange::alltoall ? 0 : peer];
    if (count == 0) return {};  // its type may be invalid
    if (exchange_ != Exchange::alltoall && !side_.displacements.given()) return {.count = count};
    if (exchange_ == Exchange::alltoallw) return {at(side_.displacements[peer]), count, side_.types[peer]};
    const std::int64_t elements =
        exchange_ == Exchange::alltoall ? static_cast<std::int64_t>(peer) * count : side_.displacements[peer];
    return {at(elements * extent()), count, side_.types[0]};
  }

 private:
  /// Returns an address in the buffer, which is 0 for MPI_BOTTOM.
  const std::byte* at(std::int64_t offset_bytes) const {
    return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(side_.buffer) +
                                              static_cast<std::uintptr_t>(offset_bytes));
  }

  std::int64_t extent() {
    if (type_ == MPI_DATATYPE_NULL && side_.types[0] != MPI_DATATYPE_NULL) {
      type_ = side_.types[0];
      MPI_Count lower_bound = 0;
      MPI_Count extent = 0;
      PMPI_Type_get_extent_x(type_, &lower_bound, &extent);
      extent_ = extent;
    }
    return extent_;
  }

  Exchange exchange_;
  const Side& side_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::int64_t extent_ = 0;
};

}  // namespace

std::vector<Message> messages_of(const Arguments& arguments, const Communicator& communicator,
                                 collectives::Direction direction) {
  const bool sends = direction == collectives::Direction::send;
  MessageMaker maker(arguments.operation.exchange, sends ? arguments.send : arguments.recv);
  if (sends && arguments.operation.exchange == Exchange::allgatherv)
    return {arguments.in_place ? maker.of_peer(communicator.rank) : maker.to_all()};

  std::vector<Message> messages;
  if (arguments.operation.neighborhood && communicator.at_an_edge()) {
    for (const std::uint32_t peer : sends ? communicator.destinations : communicator.sources)
      messages.push_back(maker.of_peer(peer));
    return messages;
  }
  const std::uint32_t neighbors = sends ? communicator.all_destinations : communicator.all_sources;
  const std::uint32_t peers = arguments.operation.neighborhood ? neighbors : communicator.peers();
  messages.reserve(peers);
  for (std::uint32_t peer = 0; peer < peers; ++peer) messages.push_back(maker.of_peer(peer));
  return messages;
}

OwnedMessages::OwnedMessages(std::vector<Message> messages, collectives::Mode mode)
    : messages_(std::move(messages)) {
  if (mode == collectives::Mode::blocking) return;
  MPI_Datatype original = MPI_DATATYPE_NULL;
  for (Message& message : messages_) {
    if (message.type == MPI_DATATYPE_NULL) continue;
    if (message.type != original) {
      original = message.type;
      PMPI_Type_dup(original, &types_.emplace_back(MPI_DATATYPE_NULL));
    }
    message.type = types_.back();
  }
}

OwnedMessages::~OwnedMessages() {
  for (MPI_Datatype& type : types_)
    if (type != MPI_DATATYPE_NULL) PMPI_Type_free(&type);
}

}  // namespace plimsoll::interpose
