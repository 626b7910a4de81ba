#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/pelayout/external_solver.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Reads what a solver of the user's own answers. Throws Error (bad_input), with the solver's name and the
/// place in its answer, for what is no answer, says that there is no solution, or uses more than the total.
ExternalAnswer read_external_answer(const std::string& text, const std::string& solver,
                                    const Problem& problem, const std::vector<ComponentModel>& models,
                                    std::int64_t total);

}  // namespace plimsoll::pelayout
