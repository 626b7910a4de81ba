#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Returns the communicator of this id, and adds it if missing. Communicators are sorted by id.
Communicator& communicator_of(Lead& lead, std::uint32_t id);

/// Returns the ids of a communicator's calls of an operation, and adds an empty list if missing. Lists are
/// sorted by operation.
NumberList& calls_of(Communicator& communicator, Operation operation);

}  // namespace plimsoll::collectives
