#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// The communicator of this id, added if there is none; they are sorted by id.
Communicator& communicator_of(Lead& lead, std::uint32_t id);

/// The ids of a communicator's calls of an operation, added if there are none; they are sorted by operation.
NumberList& calls_of(Communicator& communicator, Operation operation);

}  // namespace plimsoll::collectives
