#include "cli/commands/layout/layout_text.hpp"

#include <fmt/ranges.h>

#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

using namespace pelayout;

std::string figure(double number) {
  if (!std::isfinite(number)) return "-";
  const double size = std::abs(number);
  if (size >= 99.95 && size < 9e15) return (number < 0 ? "-" : "") + count(std::llround(size));
  if (size >= 9.995) return fmt::format("{:.1f}", number);
  if (size >= 0.9995 || size == 0) return fmt::format("{:.2f}", number);
  return fmt::format("{:.3g}", number);
}

std::string cost_figure(double cost, double maximum) {
  const int decimals = maximum >= 1000 ? 1 : maximum >= 10 ? 2 : maximum >= 1 ? 3 : 4;
  return fmt::format("{:.{}f}", cost, decimals);
}

std::string enumeration(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

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
constexpr double smallest_shown_share = 0.001;  ///< of the core hours, for the waiting of a component

std::string unit(const Study& study) {
  return std::string(" ") + unit_symbol(study.problem.unit);
}

std::string cost(const Study& study, double seconds) {
  return cost_figure(seconds, study.solution.time) + unit(study);
}

/// Returns the difference between an expected time and that of the solution.
std::string difference(const Study& study, const ExpectedTime& expected) {
  return support::format_difference(expected.time / study.time() - 1);
}

/// Describes a faster layout: "Another layout is expected to be faster: AtmLnd takes 24.67 s/day (-4.4 %)."
std::string what_is_faster(const Study& study) {
  const Alternative* other = study.faster_layout();
  if (other == nullptr) return "";
  return fmt::format("Another layout is expected to be faster: {} takes {} ({}).", other->layout(),
                     cost(study, other->expected.time), difference(study, other->expected));
}

/// Describes a layout whose gain is uncertain: "ATM ; OCN is expected to take 20.73 s/day (-6.3 %), but is
/// less certain: it may take up to 35.30 s/day, this layout up to 32.80 s/day (90 %)."
std::string what_may_be_faster(const Study& study) {
  if (study.faster_layout() != nullptr || !study.sensitivity || !study.expected ||
      study.sensitivity->alternatives.empty())
    return "";
  const Alternative& other = study.sensitivity->alternatives.front();
  if (other.expected.time > (1 - worthwhile_gain) * study.time()) return "";
  const bool is_less_certain = other.expected.range.max > study.expected->range.max;
  return fmt::format("{} is expected to take {} ({}){} it may take up to {}, this layout up to {} (90 %).",
                     other.layout(), cost(study, other.expected.time), difference(study, other.expected),
                     is_less_certain ? ", but is less certain:" : ":", cost(study, other.expected.range.max),
                     cost(study, study.expected->range.max));
}

/// Lists the limiting components: "ATM and ICE are on the critical path."
std::string what_limits(const Sensitivity& sensitivity) {
  const std::vector<std::string> limiting = sensitivity.limiting();
  return limiting.empty() ? ""
                          : fmt::format("{} {} on the critical path.", enumeration(limiting),
                                        limiting.size() == 1 ? "is" : "are");
}

/// Describes other totals: "By the models, 8 tasks more in total: 23.76 s/day (-0.8 %); 8 less: 24.12 s/day
/// (+0.7 %)."
std::string what_more_brings(const Study& study, const Sensitivity& sensitivity) {
  const auto& nodes = study.plan.nodes;
  const bool whole_nodes = nodes && !nodes->shared;
  const std::int64_t block = whole_nodes ? nodes->count(sensitivity.block) : sensitivity.block;
  const char* const unit = whole_nodes ? "node" : processor_of(study);
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<double>& time, const std::string& change) {
    if (time)
      parts.push_back(fmt::format("{}: {} ({})", change, cost(study, *time),
                                  support::format_difference(*time / study.solution.time - 1)));
  };
  add(sensitivity.one_block_more, count(block, unit) + " more in total");
  add(sensitivity.one_block_less, (parts.empty() ? count(block, unit) : count(block)) + " less");
  return parts.empty() ? "" : fmt::format("By the models, {}.", fmt::join(parts, "; "));
}

/// Names the core hours in which processors wait: "Waiting for other components costs 1,020 core hours per
/// simulated year: OCN 900 and LND 120."
std::string what_waiting_costs(const Study& study, const Sensitivity& sensitivity) {
  if (!study.per_day() || study.solution.time <= 0 || !study.plan.partitions.empty()) return "";
  double sum = 0;
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < sensitivity.components.size(); ++k) {
    const double hours = study.waiting_core_hours(k);
    sum += hours;
    if (hours <= smallest_shown_share * study.core_hours()) continue;
    parts.push_back(fmt::format("{} {}", sensitivity.components[k].component, figure(hours)));
  }
  const bool is_measured = study.keeps_own_layout() && study.own->measures_waiting;
  return parts.empty()
             ? ""
             : fmt::format("Waiting for other components costs {} core hours per simulated year{}: {}.",
                           figure(sum), is_measured ? ", as measured" : "", enumeration(parts));
}

/// Describes the sequential coupling cost: "All components in sequence would take 13.7 % longer than the best
/// layout with concurrent parts (sequential coupling cost, by the models)."
std::string what_sequence_costs(const Sensitivity& sensitivity) {
  if (!sensitivity.sequential_cost) return "";
  const double cost = *sensitivity.sequential_cost;
  return fmt::format(
      "All components in sequence would take {} {} than the best layout with concurrent parts "
      "(sequential coupling cost, by the models).",
      support::format_percentage(std::abs(cost)), cost < 0 ? "less time" : "longer");
}

std::string what_is_left_out(const Study& study) {
  if (study.left_out.empty()) return "";
  std::vector<std::string> parts;
  for (const LeftOutComponent& component : study.left_out)
    parts.push_back(fmt::format("{} ({}{} on {})", component.component, figure(component.cost), unit(study),
                                count(component.tasks, "task")));
  return fmt::format("Not included in the layout or its time: {}. Add important components to --layout.",
                     enumeration(parts));
}

std::string alternatives_table(const Study& study, const Sensitivity& sensitivity, bool with_tasks) {
  const auto tasks = [](const Alternative& other) {
    return joined(other.solution.places, ", ", [](const Place& place) {
      return fmt::format("{} {}", place.component, count(place.tasks));
    });
  };
  const auto cost = [&](const auto& other) { return cost_figure(other.expected.time, study.time()); };
  const auto maximum = [&](const auto& other) { return cost_figure(other.expected.range.max, study.time()); };
  const auto years = [](const auto& other) { return figure(throughput(other.expected.time)); };
  return table_of<Alternative>(
      first(sensitivity.alternatives, max_alternatives),
      {{"other layouts", Align::left, [](const auto& other) { return other.layout(); }},
       {"expected" + unit(study), Align::right, cost},
       {"up to (90 %)", Align::right, maximum},
       {"years/day", Align::right, years, study.per_day()},
       {"difference", Align::right, [&](const auto& other) { return difference(study, other.expected); }},
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

std::string notes_text(const Study& study, const Terminal& terminal) {
  const std::size_t width = terminal.text_width();
  std::string text;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) text += wrapped(sentence, width, 2);
  };
  add(what_is_faster(study));
  add(what_may_be_faster(study));
  add(what_is_left_out(study));
  if (study.sensitivity) {
    add(what_limits(*study.sensitivity));
    add(what_waiting_costs(study, *study.sensitivity));
    add(what_sequence_costs(*study.sensitivity));
    if (!study.keeps_own_layout()) add(what_more_brings(study, *study.sensitivity));
    if (study.sensitivity->layout_hardly_matters)
      add("The choice of layout hardly matters: the slowest layout below takes less than 5 % longer than the "
          "fastest.");
  }
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
