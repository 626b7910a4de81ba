#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::CallsOfStack;
using collectives::max_callers;

/// Returns the calls of this process by their callers, in sums over its threads. `waits` contains the waiting
/// by stack and function. Adds the modules of the callers to `modules`.
std::vector<CallsOfStack> callers_of_this_rank(WaitTable& waits, std::vector<std::string>& modules);

}  // namespace plimsoll::interpose
