#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include <plimsoll/support/table.hpp>

#include "cli/layout/layout_text.hpp"
#include "cli/layout/solve_text.hpp"
#include "cli/text.hpp"

namespace plimsoll::cli {

namespace {

using Align = support::TextTable::Align;
using pelayout::ComponentSensitivity;
using pelayout::Sensitivity;

constexpr std::size_t max_model_warnings = 5;
constexpr std::size_t max_alternatives = 6;

std::string unit(const SolveAnswer& answer) {
  return answer.per_day() ? " s/day" : " s";
}

std::string cost(const SolveAnswer& answer, double seconds) {
  return cost_figure(seconds, answer.solution.time) + unit(answer);
}

const char* processor_of(const SolveAnswer& answer) {
  return answer.counts_threads ? "processor" : "task";
}

/// "ATM and ICE set the time; processors wait 12.3 % of it."
std::string what_limits(const SolveAnswer& answer, const Sensitivity& sensitivity) {
  std::vector<std::string> limiting;
  for (const ComponentSensitivity& component : sensitivity.components)
    if (component.limiting) limiting.push_back(component.component);
  std::string text = limiting.empty() ? ""
                                      : fmt::format("{} {} the time. ", enumeration(limiting),
                                                    limiting.size() == 1 ? "sets" : "set");
  text += fmt::format("{}s wait {} of it", answer.counts_threads ? "Processor" : "Task",
                      support::format_percentage(sensitivity.idle));
  const auto gains =
      std::ranges::max_element(sensitivity.components, {}, &ComponentSensitivity::gain_of_block);
  if (gains != sensitivity.components.end() && gains->gain_of_block > 1e-9 * answer.solution.time) {
    const pelayout::ComponentModel* model = answer.model(gains->component);
    text += fmt::format("; {} more for {} alone would save {}",
                        count(model == nullptr ? 1 : model->block_size, "task"), gains->component,
                        cost(answer, gains->gain_of_block));
  }
  return text + ".";
}

/// "With 8 tasks more: 23.76 s/day (-0.8 %); with 8 less: 24.12 s/day (+0.7 %)."
std::string what_more_brings(const SolveAnswer& answer, const Sensitivity& sensitivity) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<double>& time, const char* which) {
    if (!time) return;
    parts.push_back(fmt::format("with {} {}: {} ({})", count(sensitivity.block, processor_of(answer)), which,
                                cost(answer, *time), signed_percentage(*time / answer.solution.time - 1)));
  };
  add(sensitivity.one_block_more, "more");
  add(sensitivity.one_block_less, "less");
  if (parts.empty()) return "";
  parts.front().front() = 'W';
  return fmt::format("{}.", fmt::join(parts, "; "));
}

std::string what_is_left_out(const SolveAnswer& answer) {
  if (answer.left_out.empty()) return "";
  std::vector<std::string> parts;
  for (const LeftOutComponent& component : answer.left_out)
    parts.push_back(fmt::format("{} ({} on {})", component.component, cost(answer, component.cost),
                                count(component.tasks, "task")));
  return fmt::format("Not in the layout, so not in its time: {}.", enumeration(parts));
}

std::string alternatives(const SolveAnswer& answer, const Sensitivity& sensitivity) {
  if (sensitivity.alternatives.empty()) return "";
  std::vector<support::TextTable::Column> columns = {{"other layouts"},
                                                     {unit(answer).substr(1), Align::right}};
  if (answer.per_day()) columns.push_back({"years/day", Align::right});
  columns.push_back({"", Align::right});
  columns.push_back({"tasks"});
  support::TextTable table(columns);
  for (std::size_t k = 0; k < std::min(max_alternatives, sensitivity.alternatives.size()); ++k) {
    const pelayout::Alternative& other = sensitivity.alternatives[k];
    std::vector<std::string> row = {other.name, cost_figure(other.solution.time, answer.solution.time)};
    if (answer.per_day()) row.push_back(figure(pelayout::throughput(other.solution.time)));
    row.push_back(signed_percentage(other.solution.time / answer.solution.time - 1));
    std::vector<std::string> tasks;
    for (const pelayout::Place& place : other.solution.places)
      tasks.push_back(fmt::format("{} {}", place.component, count(place.tasks)));
    row.push_back(fmt::format("{}", fmt::join(tasks, ", ")));
    table.add_row(std::move(row));
  }
  return '\n' + table.to_string();
}

/// The warnings of the layout's models, each once.
std::vector<std::string> model_warnings(const SolveAnswer& answer) {
  std::vector<std::string> warnings;
  std::set<std::string> seen;
  for (const pelayout::Place& place : answer.solution.places) {
    const pelayout::ComponentModel* model = answer.model(place.component);
    if (model == nullptr) continue;
    for (const auto& [threads, scaling] : model->by_threads)
      for (const Diagnostic& warning : scaling->warnings())
        if (seen.insert(to_string(warning)).second) warnings.push_back(to_string(warning));
  }
  return warnings;
}

}  // namespace

std::string notes_text(const SolveAnswer& answer, const Terminal& terminal) {
  const std::size_t width = std::min<std::size_t>(terminal.width(), 100);
  std::string text;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) text += wrapped(sentence, width, 2);
  };
  if (answer.sensitivity) {
    add(what_limits(answer, *answer.sensitivity));
    add(what_more_brings(answer, *answer.sensitivity));
    if (answer.sensitivity->layout_hardly_matters)
      add("The layout hardly matters: the worst of those below is less than 5 % slower.");
  }
  add(what_is_left_out(answer));
  const std::vector<std::string> warnings = model_warnings(answer);
  for (std::size_t k = 0; k < std::min(max_model_warnings, warnings.size()); ++k) add(warnings[k]);
  if (warnings.size() > max_model_warnings)
    add(fmt::format("And {} more about models; --json lists them.", warnings.size() - max_model_warnings));
  if (!text.empty()) text = '\n' + text;
  return text + (answer.sensitivity ? alternatives(answer, *answer.sensitivity) : "");
}

std::string next_runs_text(const SolveAnswer& answer, bool all, const Terminal& terminal) {
  if (!answer.next_runs || answer.next_runs->counts.empty()) return "";
  const pelayout::NextRuns& next = *answer.next_runs;
  if (!all) {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, next.counts.size()); ++k)
      parts.push_back(fmt::format("{} on {} ({})", next.counts[k].component,
                                  count(next.counts[k].tasks, "task"), next.counts[k].reason));
    return '\n' + wrapped(fmt::format("Worth measuring next: {}.", fmt::join(parts, "; ")),
                          std::min<std::size_t>(terminal.width(), 100), 2);
  }
  support::TextTable table({{"worth measuring"},
                            {"tasks", Align::right},
                            {"threads", Align::right},
                            {"doubt," + unit(answer), Align::right},
                            {"why"}});
  for (const pelayout::WorthMeasuring& worth : next.counts)
    table.add_row({worth.component, count(worth.tasks), count(worth.threads),
                   cost_figure(worth.doubt, answer.solution.time), worth.reason});
  std::string text = '\n' + table.to_string() + "\nTiming runs for that:\n";
  for (const pelayout::PesEntry& run : next.runs) {
    std::vector<std::string> tasks;
    for (const auto& [component, pes] : run.components)
      if (pes.tasks) tasks.push_back(fmt::format("{} {}", component, count(*pes.tasks)));
    text += wrapped(fmt::format("  {}: {}", run.pesize, fmt::join(tasks, ", ")), 80, 4);
  }
  return text;
}

}  // namespace plimsoll::cli
