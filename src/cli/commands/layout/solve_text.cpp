#include "cli/commands/layout/solve_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/pelayout/timeline.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/commands/layout/layout_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::cli {

namespace {

using Align = support::TextTable::Align;
using pelayout::ComponentSensitivity;
using pelayout::Place;
using pelayout::Solution;

const char* unit_of(const SolveAnswer& answer) {
  return answer.per_day() ? "s/day" : "s";
}

const char* processor_of(const SolveAnswer& answer) {
  return answer.counts_threads ? "processor" : "task";
}

std::string headline(const SolveAnswer& answer, const Terminal& terminal) {
  const double time = answer.solution.time;
  std::string text = fmt::format("Best layout on {}: {} {}\n", count(answer.total, processor_of(answer)),
                                 terminal.paint(Colour::bold, cost_figure(time, time)),
                                 answer.per_day() ? "s/model day" : "s");
  if (answer.per_day() && time > 0)
    text += fmt::format("{} simulated years/day, {} core hours/simulated year\n",
                        figure(pelayout::throughput(time)),
                        figure(answer.core_hours(answer.solution, answer.total)));
  return text;
}

/// What comes on top of the components' times: "5 % overhead", "0.5 s/day wait".
std::string added_time(const SolveAnswer& answer) {
  const pelayout::Layout& layout = answer.layout;
  std::vector<std::string> parts;
  if (layout.overhead > 0) parts.push_back(support::format_percentage(layout.overhead) + " overhead");
  if (layout.wait > 0) parts.push_back(fmt::format("{} {} wait", figure(layout.wait), unit_of(answer)));
  return parts.empty() ? "" : "; with " + enumeration(parts);
}

std::string how(const SolveAnswer& answer) {
  std::string text = answer.layout.name.empty() ? "" : answer.layout.name;
  if (!answer.layout.expression.component.empty() || !answer.layout.expression.parts.empty()) {
    const std::string expression = to_string(answer.layout.expression);
    if (text.empty() || text == expression)
      text = expression;
    else
      text += ": " + expression;
  }
  text += added_time(answer);
  if (answer.solution.processors > 0 && answer.solution.processors < answer.total)
    text += fmt::format("; {} {} left idle",
                        count(answer.total - answer.solution.processors, processor_of(answer)),
                        answer.total - answer.solution.processors == 1 ? "is" : "are");
  return text;
}

/// What of the component's range was measured, if its count lies outside: "up to 512".
std::string where_measured(const SolveAnswer& answer, const Place& place) {
  const pelayout::ComponentModel* model = answer.model(place.component);
  if (model == nullptr || !model->by_threads.contains(place.threads)) return "not";
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const pelayout::ModelPoint& point : model->by_threads.at(place.threads)->points()) {
    if (point.extrapolated) continue;
    if (least == 0) least = point.tasks;
    most = point.tasks;
  }
  return place.tasks > most ? "up to " + count(most) : place.tasks < least ? "from " + count(least) : "";
}

std::string component_table(const SolveAnswer& answer) {
  const std::vector<Place>& places = answer.solution.places;
  const bool threads = std::ranges::any_of(places, [](const Place& place) { return place.threads > 1; });
  const bool blocks =
      std::ranges::any_of(places, [](const Place& place) { return place.blocks != place.tasks; });
  const bool extrapolated =
      std::ranges::any_of(places, [&](const Place& place) { return !where_measured(answer, place).empty(); });
  const bool slack = answer.sensitivity && answer.sensitivity->components.size() == places.size();
  std::vector<support::TextTable::Column> columns = {{"component"}, {"tasks", Align::right}};
  if (threads) columns.push_back({"threads", Align::right});
  if (blocks) columns.push_back({"blocks", Align::right});
  for (const char* heading : {"root", unit_of(answer), "from", "to"})
    columns.push_back({heading, Align::right});
  if (slack) columns.push_back({"to spare", Align::right});
  if (extrapolated) columns.push_back({"measured"});
  support::TextTable table(columns);
  const auto figure = [&](double cost) { return cost_figure(cost, answer.solution.time); };
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place& place = places[k];
    std::vector<std::string> row = {place.component, count(place.tasks)};
    if (threads) row.push_back(count(place.threads));
    if (blocks) row.push_back(count(place.blocks));
    row.insert(row.end(), {count(place.root), figure(place.cost), figure(place.start), figure(place.end)});
    if (slack) {
      const ComponentSensitivity& matters = answer.sensitivity->components[k];
      row.push_back(matters.limiting ? "limits" : figure(matters.slack));
    }
    if (extrapolated) row.push_back(where_measured(answer, place));
    table.add_row(std::move(row));
  }
  return table.to_string();
}

}  // namespace

std::string solution_text(const SolveAnswer& answer, const Terminal& terminal) {
  const std::size_t width = text_width(terminal);
  std::string text = headline(answer, terminal) + wrapped(how(answer), width);
  if (answer.solution.places.empty()) return text;
  return text + '\n' + component_table(answer) + '\n' +
         timeline_text(layout_timeline(answer.solution, unit_of(answer)),
                       {.width = width - 1, .ascii = !terminal.utf8()});
}

std::string prediction_text(const SolveAnswer& answer, const Terminal& terminal) {
  if (!answer.prediction) return "";
  const pelayout::Prediction& prediction = *answer.prediction;
  const auto figure = [&](double cost) { return cost_figure(cost, prediction.predicted); };
  support::TextTable table({{"component"},
                            {"tasks", Align::right},
                            {"predicted", Align::right},
                            {"measured", Align::right},
                            {"error", Align::right}});
  for (const pelayout::ComponentPrediction& component : prediction.components)
    table.add_row({component.component, count(component.tasks), figure(component.predicted),
                   figure(component.measured), signed_percentage(component.error())});
  table.add_rule();
  const auto total = [&](const char* name, double time) {
    table.add_row({name, "", figure(time), figure(prediction.measured),
                   signed_percentage(time / prediction.measured - 1)});
  };
  total("layout, from the models", prediction.predicted);
  total("layout, from its components", prediction.from_measured_components);
  std::string text =
      fmt::format("\nThe models against {} ({}):\n", prediction.path, unit_of(answer)) + table.to_string();
  for (const Diagnostic& warning : prediction.warnings)
    text += wrapped(sentence(warning), text_width(terminal), 2);
  return text;
}

std::string documented_text(const SolveAnswer& answer) {
  return fmt::format("\nSolution ({}):\n", answer.solver) + documented_lines(answer);
}

}  // namespace plimsoll::cli
