#pragma once

#include <string>

#include <plimsoll/pelayout/study.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// What totals count: "processor" or "task".
const char* processor_of(const pelayout::Study& study);

/// The answer: the best layout, its table and its drawing.
std::string solution_text(const pelayout::Study& study, const Terminal& terminal);

/// What else is to be known of it: what limits it, alternatives, what is left out, doubts about the models.
std::string notes_text(const pelayout::Study& study, const Terminal& terminal);

/// The timing file held against the models.
std::string prediction_text(const pelayout::Study& study, const Terminal& terminal);

/// The timing runs worth making next: those that matter most in a sentence, or all of them.
std::string next_runs_text(const pelayout::Study& study, bool all, const Terminal& terminal);

/// `KEY = VALUE` lines as CIME's tool prints them: keys that begin with N as whole numbers.
std::string documented_lines(const pelayout::Study& study);

/// These lines under a heading.
std::string documented_text(const pelayout::Study& study);

/// The models as CIME's tool prints them, their formulas, and how far repeated measurements are apart.
std::string models_text(const pelayout::Study& study);

/// The table of a sweep, its plots, and which of its points is explained further.
std::string sweep_text(const pelayout::Study& study, const Terminal& terminal);

}  // namespace plimsoll::cli
