#pragma once

#include <plimsoll/pelayout/solvers.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the input of an external solver, as described in docs/how-to/write-a-layout-solver.md. It contains
/// the problem, and its models as points between which cost is linear, from 1 to `total` tasks.
std::string external_problem(const Problem& problem, const std::vector<ComponentModel>& models,
                             std::int64_t total);

/// Parses the answer of an external solver. Throws Error (bad_input) if the answer is invalid, reports that
/// no solution exists, or uses more than the total. The error contains the solver's name and the location in
/// its answer.
ExternalAnswer read_external_answer(const std::string& text, const std::string& solver,
                                    const Problem& problem, const std::vector<ComponentModel>& models,
                                    std::int64_t total);

}  // namespace plimsoll::pelayout
