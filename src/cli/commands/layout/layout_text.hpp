#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/answer.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats a diagnostic as a sentence: the problem and the suggestion.
std::string sentence(const Diagnostic& diagnostic);
/// Draws the cost of components over their tasks, up to `total`, with logarithmic axes, as text.
std::string model_graphs(const pelayout::Problem& problem,
                         const std::vector<pelayout::ComponentModel>& models, std::int64_t total,
                         const Terminal& terminal);

/// Draws the graphs of model_graphs() as an SVG picture.
std::string model_graphs_svg(const pelayout::Problem& problem,
                             const std::vector<pelayout::ComponentModel>& models, std::int64_t total);

std::string sweep_graphs(const pelayout::Sweep& sweep, const Terminal& terminal);

/// Formats the answer: the expected time of the layout, and how it compares with runs.
std::string headline_text(const pelayout::Study& study, const pelayout::Answer& answer,
                          const Terminal& terminal);

/// Formats the solution: the best layout, its table and its drawing.
std::string solution_text(const pelayout::Study& study, const pelayout::Answer& answer,
                          const Terminal& terminal);

/// Formats the notes of the answer, model warnings and other layouts.
std::string notes_text(const pelayout::Study& study, const pelayout::Answer& answer,
                       const Terminal& terminal);

/// Formats one line per run of the data: its time from the models and its measured time.
std::string runs_text(const pelayout::Study& study);

/// Formats the comparison of the timing file with the models.
std::string prediction_text(const pelayout::Study& study, const Terminal& terminal);

/// Formats the recommended timing runs: the most important ones in a sentence, or all of them.
std::string next_runs_text(const pelayout::Study& study, bool all, const Terminal& terminal);

/// Formats `KEY = VALUE` lines like those of CIME's tool; values of keys that begin with N are integers.
std::string documented_lines(const pelayout::Study& study);

/// Formats the models as CIME's tool does, with their formulas and the spread of repeated measurements.
std::string models_text(const pelayout::Study& study);

/// Formats the table of a sweep, its plots, and the point to which the other output refers.
std::string sweep_text(const pelayout::Study& study, const Terminal& terminal);

}  // namespace plimsoll::cli
