#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "interpose/handles/communicators.hpp"
#include "interpose/rules/arguments.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Data that a rank sends to one peer in a call, or receives from it.
struct Message {
  const std::byte* begin = nullptr;  ///< address of the first element
  std::int64_t count = 0;            ///< number of elements
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Returns the messages that the calling rank sends or receives, in the order of its peers. Neighbours that
/// are MPI_PROC_NULL are skipped, and data that are the same for all peers are one message. An in-place call
/// sends data of the receive buffer. Messages without elements have no address and no type. Messages whose
/// displacements are missing have elements, but no type.
std::vector<Message> messages_of(const Arguments& arguments, const Communicator& communicator,
                                 collectives::Direction direction);

/// Messages of a call until it is complete. The types of nonblocking and persistent calls exist at least as
/// long as this object, even if the program frees its handles.
class OwnedMessages {
 public:
  OwnedMessages() = default;
  OwnedMessages(std::vector<Message> messages, collectives::Mode mode);
  OwnedMessages(OwnedMessages&&) = default;
  OwnedMessages& operator=(OwnedMessages&& other) noexcept {
    messages_.swap(other.messages_);
    types_.swap(other.types_);
    return *this;
  }
  ~OwnedMessages();
  const std::vector<Message>& get() const { return messages_; }

 private:
  std::vector<Message> messages_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace plimsoll::interpose
