#pragma once

#include <cstddef>

#include <plimsoll/pelayout/submission.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Writes the number of commands done to the state file of a case. Throws Error (system).
void save_state(const CasePlan& plan, std::size_t commands_done);

}  // namespace plimsoll::pelayout
