#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include <plimsoll/support/internal/format.hpp>

#include "cli/commands/layout/layout_text.hpp"
#include "cli/commands/layout/model_graphs.hpp"
#include "cli/commands/layout/solve_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using Align = support::TextTable::Align;
using pelayout::SweepPoint;

constexpr std::size_t max_rows = 40;

std::string marks(const pelayout::TotalChoice& choice, std::size_t k) {
  std::vector<std::string> words;
  if (k == choice.chosen) words.emplace_back("best");
  if (choice.sweep.knee == k) words.emplace_back("knee");
  return fmt::format("{}{}", choice.sweep.points[k].pareto ? "*" : "",
                     words.empty() ? "" : fmt::format(" {}", fmt::join(words, ", ")));
}

/// Formats a total with its nodes: "1,280 (20 nodes)".
std::string total_text(const SweepPoint& point) {
  const auto& nodes = point.solution.nodes;
  return count(point.total) + (nodes ? fmt::format(" ({})", count(nodes->count(point.total), "node")) : "");
}

std::string headline(const pelayout::TotalChoice& choice, const Terminal& terminal) {
  const SweepPoint& chosen = choice.sweep.points[choice.chosen];
  std::string text = fmt::format("{}: by the models, best by {} is {} ({} years/day, {} core hours/year)",
                                 count(choice.sweep.points.size(), "total"), choice.objective,
                                 terminal.paint(Colour::bold, total_text(chosen)), figure(chosen.throughput),
                                 figure(chosen.core_hours));
  if (choice.sweep.knee && *choice.sweep.knee != choice.chosen) {
    const SweepPoint& knee = choice.sweep.points[*choice.sweep.knee];
    text += fmt::format("; the knee is {} ({} years/day, {} core hours/year): beyond it, returns diminish",
                        total_text(knee), figure(knee.throughput), figure(knee.core_hours));
  }
  return wrapped(text + ".", text_width(terminal), 2);
}

std::string table(const pelayout::TotalChoice& choice, const std::optional<pelayout::Nodes>& nodes) {
  const std::vector<SweepPoint>& points = choice.sweep.points;
  std::vector<support::TextTable::Column> columns = {{"total", Align::right}};
  if (nodes) columns.push_back({"nodes", Align::right});
  columns.insert(
      columns.end(),
      {{"s/day", Align::right}, {"years/day", Align::right}, {"core h/year", Align::right}, {"Pareto"}});
  for (const pelayout::Place& place : points.front().solution.places)
    columns.push_back({place.component, Align::right});
  support::TextTable table(columns);
  const std::size_t step = (points.size() + max_rows - 1) / max_rows;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (k % step != 0 && k + 1 != points.size() && k != choice.chosen && choice.sweep.knee != k) continue;
    const SweepPoint& point = points[k];
    std::vector<std::string> row = {count(point.total)};
    if (nodes) row.push_back(count(nodes->count(point.total)));
    row.insert(row.end(), {cost_figure(point.solution.time, 10), figure(point.throughput),
                           figure(point.core_hours), marks(choice, k)});
    for (const pelayout::Place& place : point.solution.places) row.push_back(count(place.tasks));
    table.add_row(std::move(row));
  }
  std::string text =
      table.to_string() + "* no other total is both faster and cheaper; times are by the models\n";
  if (step > 1) text += fmt::format("One row in {} is shown; --json lists all.\n", step);
  return text;
}

std::string without_layout(const std::vector<std::int64_t>& totals) {
  if (totals.empty()) return "";
  return totals.size() == 1 ? fmt::format("No layout fits on {}.\n", count(totals.front(), "task"))
                            : fmt::format("No layout fits on {} of the totals: {} to {} tasks.\n",
                                          totals.size(), count(totals.front()), count(totals.back()));
}

}  // namespace

std::string sweep_text(const pelayout::Study& study, const Terminal& terminal) {
  if (!study.choice) return "";
  std::string text = headline(*study.choice, terminal) + '\n' + table(*study.choice, study.plan.nodes) +
                     without_layout(study.choice->sweep.infeasible) + '\n';
  if (terminal.shows_charts()) text += sweep_graphs(study.choice->sweep, terminal) + '\n';
  return text;
}

}  // namespace plimsoll::cli
