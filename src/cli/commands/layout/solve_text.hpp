#pragma once

#include <string>

#include <plimsoll/pelayout/study.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns the unit of totals: "processor" or "task".
const char* processor_of(const pelayout::Study& study);

/// Formats the solution: the best layout, its table and its drawing.
std::string solution_text(const pelayout::Study& study, const Terminal& terminal);

/// Formats notes: limiting components, alternatives, components missing from the layout, model warnings.
std::string notes_text(const pelayout::Study& study, const Terminal& terminal);

/// Formats one line per run of the data: its time from the models and its measured time.
std::string runs_text(const pelayout::Study& study);

/// Formats the comparison of the timing file with the models.
std::string prediction_text(const pelayout::Study& study, const Terminal& terminal);

/// Formats the recommended timing runs: the most important ones in a sentence, or all of them.
std::string next_runs_text(const pelayout::Study& study, bool all, const Terminal& terminal);

/// Formats `KEY = VALUE` lines like those of CIME's tool; values of keys that begin with N are integers.
std::string documented_lines(const pelayout::Study& study);

/// Formats the lines of documented_lines() under a heading.
std::string documented_text(const pelayout::Study& study);

/// Formats the models as CIME's tool does, with their formulas and the spread of repeated measurements.
std::string models_text(const pelayout::Study& study);

/// Formats the table of a sweep, its plots, and the point to which the other output refers.
std::string sweep_text(const pelayout::Study& study, const Terminal& terminal);

}  // namespace plimsoll::cli
