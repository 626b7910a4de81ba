#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>

#include "cli/commands/layout/solve_answer.hpp"
#include "cli/commands/layout/solve_options.hpp"

namespace plimsoll::cli {

/// The layout that was asked for: on the command line, in the JSON file, or by nobody (IceLndAtmOcn).
std::string layout_text(const SolveOptions& options, const pelayout::Problem& problem);

/// The totals that were asked for, ascending. Throws Error (usage) if there is none.
std::vector<std::int64_t> totals_of(const SolveOptions& options, const pelayout::Problem& problem);

/// Finds the answer to a question about a problem. Throws Error: usage for options that contradict the
/// problem or each other; bad_input if there is no layout.
SolveAnswer solve(const pelayout::Problem& problem, const SolveOptions& options);

}  // namespace plimsoll::cli
