#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the communicator with this ID; adds it if missing. Communicators are sorted by ID.
Communicator& communicator_of(Lead& lead, std::uint32_t id);

/// Returns the IDs of the calls of one operation on a communicator; adds an empty list if missing. Lists are
/// sorted by operation.
NumberList& calls_of(Communicator& communicator, Operation operation);

}  // namespace plimsoll::collectives
