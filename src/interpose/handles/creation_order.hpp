#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/handles/communicators.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the description of a communicator, without its order; nothing if processes outside MPI_COMM_WORLD
/// are members.
std::optional<collectives::CommunicatorDescription> description_of(MPI_Comm communicator);

/// Distinguishes communicators with the same members by a number, `Communicator::order`, which all members
/// agree on without communication: a hash of the members, the parent and the number of earlier communicators
/// with both. Calls only local functions.
class CreationOrder {
 public:
  /// Registers MPI_COMM_WORLD and MPI_COMM_SELF.
  CreationOrder();
  CreationOrder(const CreationOrder&) = delete;
  CreationOrder& operator=(const CreationOrder&) = delete;

  /// Registers a new communicator, made from `parent` (MPI_COMM_NULL if none). Ignores MPI_COMM_NULL.
  void created(MPI_Comm parent, MPI_Comm communicator);
  /// Registers a copy of `original` that may not be used before a request has completed.
  void being_created(MPI_Comm original, MPI_Comm communicator);
  /// Returns whether such a copy has not been used yet.
  bool is_new_copy(MPI_Comm communicator) const { return being_created_.contains(communicator); }

  /// Returns the order of a communicator; 0 if processes outside MPI_COMM_WORLD are members. That of one
  /// whose creation was not seen is set now.
  std::uint64_t of(MPI_Comm communicator, Communicator& known);

 private:
  std::uint64_t next(MPI_Comm parent, MPI_Comm communicator);

  std::unordered_map<std::uint64_t, std::uint64_t>
      numbers_;  ///< number of communicators so far, by hash of parent and members
  std::unordered_map<MPI_Comm, std::uint64_t> being_created_;
};

}  // namespace plimsoll::interpose
