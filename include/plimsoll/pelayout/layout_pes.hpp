#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The PE entry of a solution. Components that the layout has not are placed as users do: CPL where ATM is,
/// ROF where LND is, others with data where ATM is, on no more tasks than were measured; those without data,
/// and those whose cost is nothing (stubs), on one task at root 0. A layout without any of CIME's components
/// gets none of them.
PesEntry to_pes(const Problem& problem, const Solution& solution, const std::string& pesize = "any");

/// The components of the data that to_pes() has to place for itself, and that cost something: the layout's
/// time leaves them out.
std::vector<std::string> left_out(const Problem& problem, const Solution& solution);

}  // namespace plimsoll::pelayout
