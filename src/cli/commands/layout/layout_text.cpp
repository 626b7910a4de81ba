#include "cli/commands/layout/layout_text.hpp"

#include <fmt/ranges.h>

#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/pelayout/internal/study_text.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

using namespace pelayout;

std::string sentence(const Diagnostic& diagnostic) {
  return diagnostic.what + (diagnostic.suggestion.empty() ? "" : "; " + diagnostic.suggestion);
}

namespace {

std::string point_line(const Component& component, const ModelPoint& point, std::int64_t threads) {
  std::string line = fmt::format("{:4}: {:f}", point.tasks, point.cost);
  const Sample* sample = component.find(point.tasks, threads);
  if (point.extrapolated)
    line += " (extrapolated)";
  else if (sample != nullptr && sample->maximum > sample->minimum)
    line += fmt::format(" ({} runs: {:f} to {:f})", sample->repeats, sample->minimum, sample->maximum);
  return line + '\n';
}

std::string formula(const FitQuality& fit) {
  if (fit.a == 0 && fit.b == 0 && fit.d == 0) return "  zero cost\n";
  std::string text = fmt::format("  {:.6g} / n", fit.a);
  if (fit.b > 0) text += fmt::format(" + {:.6g} n^{:.4g}", fit.b, fit.c);
  if (fit.d > 0) text += fmt::format(" + {:.6g}", fit.d);
  text += fmt::format("   R^2 {:.4f}, typical error {}\n", fit.r_squared,
                      support::format_percentage(fit.typical_error));
  if (!fit.outliers.empty())
    text += fmt::format("  outliers with low weight: {}\n", fmt::join(fit.outliers, ", "));
  return text;
}

std::vector<drawing::Plot> plots(const Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                                 std::int64_t total) {
  return model_plots(problem, models, total, unit_symbol(problem.unit));
}

std::string plots_text(const std::vector<drawing::Plot>& plots, const Terminal& terminal) {
  std::string text;
  for (const drawing::Plot& plot : plots)
    text += (text.empty() ? "" : "\n") +
            plot_text(plot, {.width = terminal.text_width() - 1, .ascii = !terminal.utf8()});
  return text;
}

constexpr std::size_t max_model_warnings = 5;
constexpr std::size_t max_alternatives = 6;

std::string unit(const Study& study) {
  return std::string(" ") + unit_symbol(study.problem.unit);
}

std::string alternatives_table(const Study& study, const Sensitivity& sensitivity, bool with_tasks) {
  const auto tasks = [](const Alternative& other) {
    return joined(other.solution.places, ", ", [](const Place& place) {
      return fmt::format("{} {}", place.component, count(place.tasks));
    });
  };
  const auto cost = [&](const auto& other) { return cost_figure(other.expected.time, study.time()); };
  const auto maximum = [&](const auto& other) { return cost_figure(other.expected.range.max, study.time()); };
  const auto difference = [&](const auto& other) {
    return support::format_difference(other.expected.time / study.time() - 1);
  };
  const auto years = [](const auto& other) { return figure(throughput(other.expected.time)); };
  return table_of<Alternative>(
      first(sensitivity.alternatives, max_alternatives),
      {{"other layouts", Align::left, [](const auto& other) { return other.layout(); }},
       {"expected" + unit(study), Align::right, cost},
       {"up to (90 %)", Align::right, maximum},
       {"years/day", Align::right, years, study.per_day()},
       {"difference", Align::right, difference},
       {"tasks", Align::left, tasks, with_tasks}});
}

bool fits(std::string_view text, std::size_t width) {
  for (support::LineReader lines(text); !lines.at_end(); lines.advance())
    if (support::display_width(lines.line()) > width) return false;
  return true;
}

std::string alternatives(const Study& study, const Sensitivity& sensitivity, std::size_t width) {
  if (sensitivity.alternatives.empty()) return "";
  const std::string table = alternatives_table(study, sensitivity, true);
  return '\n' + (fits(table, width) ? table : alternatives_table(study, sensitivity, false));
}

/// Formats a model warning: "ATM and OCN: only one task count was measured (64); use measurements at other
/// task counts."
std::string text_of(const ModelWarning& warning) {
  return enumeration(warning.components) + ": " + sentence(warning.warning) + ".";
}

/// Returns text such as "Recommended measurements: ATM on 944 and 688 tasks (beyond the 512 tasks measured)."
std::string what_to_measure(const std::vector<pelayout::WorthMeasuring>& counts) {
  constexpr std::size_t most_important = 3;
  std::string text = "Recommended measurements: ";
  for (std::size_t k = 0; k < std::min(most_important, counts.size());) {
    const WorthMeasuring& first = counts[k];
    std::vector<std::string> tasks;
    for (; k < std::min(most_important, counts.size()) && counts[k].component == first.component &&
           counts[k].reason == first.reason;
         ++k)
      tasks.push_back(count(counts[k].tasks));
    const bool one = tasks.size() == 1 && first.tasks == 1;
    text += fmt::format("{}{} on {} {} ({})", text.ends_with(": ") ? "" : "; ", first.component,
                        enumeration(tasks), one ? "task" : "tasks", first.reason);
  }
  return text + ".";
}

}  // namespace

std::string models_text(const Study& study) {
  std::string text;
  for (const ComponentModel& model : study.models) {
    const Component* component = study.problem.find(model.component);
    if (component == nullptr) continue;
    for (const auto& [threads, scaling] : model.by_threads) {
      text += fmt::format("***{}***", model.component);
      if (model.by_threads.size() > 1) text += fmt::format(" {}", count(threads, "thread"));
      text += '\n';
      for (const ModelPoint& point : scaling->points()) text += point_line(*component, point, threads);
      if (const auto quality = scaling->quality()) text += formula(*quality);
    }
  }
  return text;
}

std::string model_graphs(const Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                         std::int64_t total, const Terminal& terminal) {
  return plots_text(plots(problem, models, total), terminal);
}

std::string model_graphs_svg(const Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                             std::int64_t total) {
  return plot_svg(plots(problem, models, total), "Component costs by task count");
}

std::string sweep_graphs(const Sweep& sweep, const Terminal& terminal) {
  return plots_text(sweep_plots(sweep), terminal);
}

std::string notes_text(const Study& study, const pelayout::Answer& answer, const Terminal& terminal) {
  const std::size_t width = terminal.text_width();
  std::string text;
  const auto add = [&](const std::string& sentence) { text += wrapped(sentence, width, 2); };
  for (const std::string& note : answer.notes) add(note);
  const std::vector<pelayout::ModelWarning> warnings = study.model_warnings();
  for (std::size_t k = 0; k < std::min(max_model_warnings, warnings.size()); ++k) add(text_of(warnings[k]));
  if (warnings.size() > max_model_warnings)
    add(count(warnings.size() - max_model_warnings, "more model warning") + "; use --json to list them.");
  if (!text.empty()) text = '\n' + text;
  return text + (study.sensitivity ? alternatives(study, *study.sensitivity, width) : "");
}

std::string next_runs_text(const Study& study, bool all, const Terminal& terminal) {
  if (!study.next_runs || study.next_runs->counts.empty()) return "";
  const NextRuns& next = *study.next_runs;
  if (!all) return '\n' + wrapped(what_to_measure(next.counts), terminal.text_width(), 2);
  support::TextTable table({{"recommended"},
                            {"tasks", Align::right},
                            {"threads", Align::right},
                            {"uncertainty," + unit(study), Align::right},
                            {"reason"}});
  for (const WorthMeasuring& worth : next.counts)
    table.add_row({worth.component, count(worth.tasks), count(worth.threads),
                   cost_figure(worth.doubt, study.solution.time), worth.reason});
  std::string text = '\n' + table.to_string(Terminal::width()) + "\nRecommended timing runs:\n";
  for (const PesEntry& run : next.runs) {
    std::vector<std::string> tasks;
    for (const auto& [component, pes] : run.components)
      if (pes.tasks) tasks.push_back(fmt::format("{} {}", component, count(*pes.tasks)));
    text += wrapped(fmt::format("{}: {}", run.pesize, fmt::join(tasks, ", ")), terminal.text_width(), 2);
  }
  return text;
}

}  // namespace plimsoll::cli
