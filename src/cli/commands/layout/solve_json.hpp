#pragma once

#include <string>

#include "cli/commands/layout/solve_answer.hpp"

namespace plimsoll::cli {

/// The answer as one JSON object (docs/json.md). `outputs`: the files written.
std::string answer_json(const SolveAnswer& answer, const std::vector<std::string>& outputs);

}  // namespace plimsoll::cli
