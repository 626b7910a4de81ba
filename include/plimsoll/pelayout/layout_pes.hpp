#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Makes the PE entry of a solution. Components that are not in the layout are placed as usual: CPL with ATM,
/// ROF with LND, and other components with data on the ranks of ATM. They get no more tasks than were
/// measured and, if tasks are counted, no more threads than the layout's components. Components without data
/// or with zero cost (stubs) get one task at root 0. If the layout contains none of CIME's components, no
/// other components are added. If the solution's nodes are known, the entry sets MAX_MPITASKS_PER_NODE and
/// MAX_TASKS_PER_NODE.
PesEntry to_pes(const Problem& problem, const Solution& solution, const std::string& pesize = "any");

/// Lists the components of the data that have a non-zero cost but are not in the layout. to_pes() places
/// them; the layout's time does not include them.
std::vector<std::string> left_out(const Problem& problem, const Solution& solution);

}  // namespace plimsoll::pelayout
