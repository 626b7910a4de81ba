#pragma once

#include <string>

#include "cli/commands/layout/solve_answer.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::cli {

/// The answer: the best layout, its table and its drawing.
std::string solution_text(const SolveAnswer& answer, const Terminal& terminal);

/// What else is to be known of it: what limits it, alternatives, what is left out, doubts about the models.
std::string notes_text(const SolveAnswer& answer, const Terminal& terminal);

/// The timing file held against the models.
std::string prediction_text(const SolveAnswer& answer, const Terminal& terminal);

/// The timing runs worth making next: those that matter most in a sentence, or all of them.
std::string next_runs_text(const SolveAnswer& answer, bool all, const Terminal& terminal);

/// The documented output, under a heading.
std::string documented_text(const SolveAnswer& answer);

/// The models as CIME's tool prints them, their formulas, and how far repeated measurements are apart.
std::string models_text(const SolveAnswer& answer);

/// The table of a sweep, its plots, and which of its points is explained further.
std::string sweep_text(const SolveAnswer& answer, const Terminal& terminal);

}  // namespace plimsoll::cli
