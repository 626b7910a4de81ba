#include <fmt/ranges.h>

#include <plimsoll/pelayout/internal/study_text.hpp>

#include "cli/commands/layout/layout_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace pelayout;

constexpr std::size_t max_rows = 40;

std::string marks(const TotalChoice& choice, std::size_t k) {
  std::vector<std::string> words;
  if (k == choice.chosen) words.emplace_back("best");
  if (choice.sweep.knee == k) words.emplace_back("knee");
  return fmt::format("{}{}", choice.sweep.points[k].pareto ? "*" : "",
                     words.empty() ? "" : fmt::format(" {}", fmt::join(words, ", ")));
}

std::string total_text(const SweepPoint& point) {
  const auto& nodes = point.solution.nodes;
  return count(point.total) + (nodes ? fmt::format(" ({})", count(nodes->count(point.total), "node")) : "");
}

std::string sweep_headline(const Study& study, const Terminal& terminal) {
  const TotalChoice& choice = *study.choice;
  const SweepPoint& chosen = choice.sweep.points[choice.chosen];
  std::string text = fmt::format(
      "{}: {}best by {} is {} ({} years/day, {} core hours/year)", count(choice.sweep.points.size(), "total"),
      study.expected ? "" : "by the models, ", choice.objective,
      terminal.paint(Colour::bold, total_text(chosen)), figure(chosen.throughput), figure(chosen.core_hours));
  if (choice.sweep.knee && *choice.sweep.knee != choice.chosen) {
    const SweepPoint& knee = choice.sweep.points[*choice.sweep.knee];
    text += fmt::format("; the knee is {} ({} years/day, {} core hours/year): beyond it, returns diminish",
                        total_text(knee), figure(knee.throughput), figure(knee.core_hours));
  }
  return wrapped(text + ".", terminal.text_width(), 2);
}

std::string table(const Study& study) {
  const TotalChoice& choice = *study.choice;
  const auto& nodes = study.plan.nodes;
  const std::vector<SweepPoint>& points = choice.sweep.points;
  using Number = const std::size_t&;
  std::vector<Column<std::size_t>> columns = {
      {"total", Align::right, [&](Number k) { return count(points[k].total); }},
      {"nodes", Align::right, [&](Number k) { return count(nodes->count(points[k].total)); },
       nodes.has_value()},
      {"s/day", Align::right, [&](Number k) { return cost_figure(points[k].time, 10); }},
      {"years/day", Align::right, [&](Number k) { return figure(points[k].throughput); }},
      {"core h/year", Align::right, [&](Number k) { return figure(points[k].core_hours); }},
      {"Pareto", Align::left, [&](Number k) { return marks(choice, k); }}};
  for (std::size_t place = 0; place < points.front().solution.places.size(); ++place)
    columns.push_back({points.front().solution.places[place].component, Align::right, [&, place](Number k) {
                         const Place* const found =
                             points[k].solution.find(points.front().solution.places[place].component);
                         return found == nullptr ? std::string("-") : count(found->tasks);
                       }});
  const std::size_t step = (points.size() + max_rows - 1) / max_rows;
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (k % step == 0 || k + 1 == points.size() || k == choice.chosen || choice.sweep.knee == k)
      shown.push_back(k);
  std::string text =
      table_of(shown, std::move(columns)) +
      (study.expected ? "* no other total is both faster and cheaper; times are expected times\n"
                      : "* no other total is both faster and cheaper; times are by the models\n");
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

std::string sweep_text(const Study& study, const Terminal& terminal) {
  if (!study.choice) return "";
  std::string text = sweep_headline(study, terminal) + '\n' + table(study) +
                     without_layout(study.choice->sweep.infeasible) + '\n';
  if (terminal.shows_charts()) text += sweep_graphs(study.choice->sweep, terminal) + '\n';
  return text;
}

}  // namespace plimsoll::cli
