#include <fmt/ranges.h>

#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/pelayout/internal/study_text.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/layout/layout_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace pelayout;

/// Formats the time added to the components' times: "5 % overhead", "0.5 s/day wait".
std::string added_time(const Study& study) {
  const Layout& layout = study.layout;
  std::vector<std::string> parts;
  if (layout.overhead > 0) parts.push_back(support::format_percentage(layout.overhead) + " overhead");
  if (layout.wait > 0) parts.push_back(fmt::format("{} {} wait", figure(layout.wait), unit_of(study)));
  return parts.empty() ? "" : "; with " + enumeration(parts);
}

/// Formats the nodes and processors that no component uses: "; 1 node is idle".
std::string what_is_idle(const Study& study) {
  std::string text;
  for (const Partition& kind : study.solution.partitions)
    if (const std::int64_t idle = kind.n_nodes - kind.nodes.count(kind.processors); idle > 0)
      text += fmt::format("; {} {} {} idle", count(idle), kind.name, idle == 1 ? "node is" : "nodes are");
  if (!study.solution.partitions.empty()) return text;
  const std::int64_t idle = total_of(study) - study.solution.processors;
  if (study.solution.processors <= 0 || idle <= 0) return "";
  const auto& nodes = study.plan.nodes;
  const bool whole_nodes = nodes && !nodes->shared;
  const std::int64_t number = whole_nodes ? nodes->count(idle) : idle;
  return fmt::format("; {} {} idle", count(number, whole_nodes ? "node" : processor_of(study)),
                     number == 1 ? "is" : "are");
}

std::string how(const Study& study) {
  std::string text = study.layout.name.empty() ? "" : study.layout.name;
  if (!study.layout.expression.component.empty() || !study.layout.expression.parts.empty()) {
    const std::string expression = to_string(study.layout.expression);
    if (text.empty() || text == expression)
      text = expression;
    else
      text += ": " + expression;
  }
  text += added_time(study);
  return text + what_is_idle(study);
}

std::string component_table(const Study& study) {
  const std::vector<Place>& places = study.solution.places;
  const auto has_any = [&](const auto& condition) { return std::ranges::any_of(places, condition); };
  const auto measured = [&](const Place& place) { return where_measured(study, place); };
  const auto cost = [&](double Place::*time) {
    return [&study, time](const Place& place) { return cost_figure(place.*time, study.solution.time); };
  };
  const auto slack = [&](const Place& place) {
    const auto& effect = study.sensitivity->components[static_cast<std::size_t>(&place - places.data())];
    return effect.limiting ? "critical" : cost_figure(effect.slack, study.solution.time);
  };
  return table_of<Place>(
      places,
      {{"component", Align::left, [](const auto& place) { return place.component; }},
       {"tasks", Align::right, [](const auto& place) { return count(place.tasks); }},
       {"threads", Align::right, [](const auto& place) { return count(place.threads); },
        has_any([](const Place& place) { return place.threads > 1; })},
       {"blocks", Align::right, [](const auto& place) { return count(place.blocks); },
        has_any([](const Place& place) { return place.blocks != place.tasks; })},
       {"nodes", Align::right, [](const auto& place) { return count(place.nodes); },
        study.plan.nodes.has_value() || !study.plan.partitions.empty()},
       {"on", Align::left, [&](const auto& place) { return study.plan.partitions[place.partition].name; },
        !study.plan.partitions.empty()},
       {"root", Align::right, [](const auto& place) { return count(place.root); }},
       {unit_of(study), Align::right, cost(&Place::cost)},
       {"from", Align::right, cost(&Place::start)},
       {"to", Align::right, cost(&Place::end)},
       {"slack", Align::right, slack,
        study.sensitivity && study.sensitivity->components.size() == places.size()},
       {"measured", Align::left, measured,
        has_any([&](const Place& place) { return !measured(place).empty(); })}});
}

}  // namespace

std::string solution_text(const Study& study, const pelayout::Answer& answer, const Terminal& terminal) {
  const std::size_t width = terminal.text_width();
  std::string text = headline_text(study, answer, terminal) + wrapped(how(study), width);
  if (study.solution.places.empty()) return text;
  text += '\n' + component_table(study);
  if (terminal.shows_charts())
    text += '\n' + timeline_text(layout_timeline(study.solution, unit_of(study)),
                                 {.width = width - 1, .ascii = !terminal.utf8()});
  return text;
}

std::string documented_lines(const Study& study) {
  std::string text;
  for (const auto& [key, value] : study.values)
    text += key.starts_with("N") ? fmt::format("{} = {:.0f}\n", support::printable(key), value)
                                 : fmt::format("{} = {:f}\n", support::printable(key), value);
  return text;
}

}  // namespace plimsoll::cli
