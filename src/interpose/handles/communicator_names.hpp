#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/handles/communicators.hpp"

/// Names of the program's communicators, on which all members agree without communication: a hash of the
/// members, the parent and the number of earlier communicators with both. All sinks use the same names.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the description of a communicator, without its order; nothing if processes outside MPI_COMM_WORLD
/// are members.
std::optional<collectives::CommunicatorDescription> description_of(MPI_Comm communicator);

/// Names a new communicator, made from `parent` (MPI_COMM_NULL if none). Ignores MPI_COMM_NULL. Throws
/// std::bad_alloc; later names would then differ from those on other ranks.
void communicator_created(MPI_Comm parent, MPI_Comm communicator);
/// Names a copy of `original` that may not be used before a request has completed.
void communicator_being_created(MPI_Comm original, MPI_Comm copy);

/// Returns the name of a communicator (Communicator::order); 0 if processes outside MPI_COMM_WORLD are
/// members. One whose creation was not seen gets the next name now, so members must ask in the same order.
std::uint64_t order_of(MPI_Comm communicator, Communicator& known);

/// Returns the channel of a communicator; null if it connects two groups, has members outside MPI_COMM_WORLD,
/// or its creation was not seen.
const std::shared_ptr<const Channel>& channel_of(MPI_Comm communicator, Communicator& known);

}  // namespace plimsoll::interpose
