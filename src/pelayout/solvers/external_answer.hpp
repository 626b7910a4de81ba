#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/pelayout/solvers.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Parses the answer of an external solver. Throws Error (bad_input) if the answer is invalid, reports that
/// no solution exists, or uses more than the total. The error contains the solver's name and the location in
/// its answer.
ExternalAnswer read_external_answer(const std::string& text, const std::string& solver,
                                    const Problem& problem, const std::vector<ComponentModel>& models,
                                    std::int64_t total);

}  // namespace plimsoll::pelayout
