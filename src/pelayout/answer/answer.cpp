#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <plimsoll/pelayout/answer.hpp>
#include <plimsoll/pelayout/internal/study_text.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/answer/sentences.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double smallest_shown_gain = 0.0005;  // differences are shown with a tenth of a per cent

/// Lists the components outside their measured range: "Extrapolated: ATM on 992 tasks (measured up to 512)."
std::string what_is_extrapolated(const Study& study) {
  std::vector<std::string> parts;
  for (const Place& place : study.solution.places) {
    const std::string measured = where_measured(study, place);
    if (!measured.empty() && place.cost > 0)
      parts.push_back(fmt::format("{} on {} ({})", place.component, counted(place.tasks, "task"),
                                  measured == "not" ? "not measured" : "measured " + measured));
  }
  return parts.empty() ? "" : "Extrapolated: " + enumeration(parts) + ".";
}

/// Runs with which the expected time is compared: the fastest that fit on the total, or the run that
/// calibrates it.
struct ComparedRuns {
  std::int64_t total = 0;
  std::size_t count = 1;
  double time = 0;  ///< median
};

/// Returns the tasks or processors that the runs of a layout used: with kinds of nodes, without idle ones.
std::int64_t used_total(const OwnLayout& own) {
  std::int64_t used = 0;
  for (const Partition& kind : own.solution.partitions) used += kind.processors;
  return own.solution.partitions.empty() ? own.total : used;
}

std::optional<ComparedRuns> compared_runs(const Study& study) {
  if (study.own) return ComparedRuns{used_total(*study.own), study.own->runs, study.own->time};
  if (study.expected && study.expected->run)
    return ComparedRuns{study.expected->run->total, 1, study.expected->run->measured};
  return std::nullopt;
}

/// Returns "Your run on 3,392 tasks took 9.21 s/day", or "Your runs on 512 tasks took 9.21 s/day (median of
/// 3)".
std::string what_runs_took(const Study& study, const ComparedRuns& runs) {
  return fmt::format("Your {} on {} took {} {}{}", runs.count == 1 ? "run" : "runs",
                     counted(runs.total, processor_of(study)), figure(runs.time), unit_of(study),
                     runs.count == 1 ? "" : fmt::format(" (median of {})", runs.count));
}

/// Returns "Your run on 3,392 tasks took 9.21 s/day; this layout would take about 8.40 s/day (-8.8 %)."
std::string what_changes(const Study& study) {
  const std::optional<ComparedRuns> run = compared_runs(study);
  if (!run || study.keeps_own_layout()) return "";
  const ExpectedTime& expected = *study.expected;
  const std::string text = what_runs_took(study, *run);
  const std::string change =
      fmt::format("; this layout would take about {} {} ({})", figure(expected.time), unit_of(study),
                  support::format_difference(expected.time / run->time - 1));
  if (study.own && is_worth_keeping(*study.own, expected)) return text + change + ": keep your layout.";
  // A run that confirms the models and fits on the total competes, unless its counts are not allowed.
  if (!study.own && run->total <= study.total && expected.time > run->time)
    return text + change + ", because block sizes, limits or rules exclude the task counts of your run.";
  if (!expected.run) return text + change + ", but none of your runs confirms the models.";
  if (!expected.has_useful_range()) return text + change + ", but this time is too uncertain to compare.";
  const bool is_certain = run->time < expected.range.min || run->time > expected.range.max;
  return text + change + (is_certain ? "." : ", but the difference is within the uncertainty.");
}

/// Describes the runs and the computed layout that a kept layout was compared with.
std::vector<std::string> why_layout_is_kept(const Study& study) {
  const OwnLayout& own = *study.own;
  const std::string measured =
      own.runs == 1 ? fmt::format("Measured in {}; the times below are those of this run.",
                                  support::printable(own.path))
                    : fmt::format("The median of {} runs with this layout; the times below are those of {}.",
                                  own.runs, support::printable(own.path));
  if (!study.computed)
    return {measured,
            fmt::format("No computed layout fits on {}.", counted(study.total, processor_of(study)))};
  const ComputedLayout& computed = *study.computed;
  if (with_same_places({&own, 1}, computed.layout.expression, computed.solution) != nullptr)
    return {measured, "The layout chosen among the computed ones is this one."};
  const double change = computed.expected.time / own.time - 1;
  std::string other =
      fmt::format("The layout chosen among the computed ones, {}, is expected to take {} {} ({})",
                  to_string(computed.layout.expression), cost_figure(computed.expected.time, own.time),
                  unit_of(study), support::format_difference(change));
  if (change <= -smallest_shown_gain)
    other += fmt::format(": a layout that was not measured must be faster by {}",
                         support::format_percentage(worthwhile_gain));
  return {measured, other + "."};
}

/// Names runs that calibrate nothing: "The total of run_1, 33.9 s/day, does not follow from its components,
/// which add up to 63.4: it does not calibrate the time."
std::string what_is_not_understood(const Study& study) {
  std::vector<const Reproduction*> runs;
  for (const Reproduction& run : study.runs)
    if (!run.is_understood) runs.push_back(&run);
  if (runs.empty()) return "";
  const Reproduction& first = *runs.front();
  const std::string others = runs.size() == 1 ? "" : fmt::format(" (and {} more)", runs.size() - 1);
  return fmt::format(
      "The total of {}{}, {} {}, does not follow from its components, which add up to {} in the run and to "
      "{} by the models: it does not calibrate the time.",
      support::printable(first.path), others, figure(first.measured), unit_of(study),
      figure(first.critical_path), figure(first.predicted));
}

/// Names the measurements without which the range is useless: "The time is uncertain by more than a factor of
/// 2, because measurements are missing: OCN on 240 tasks (beyond the 128 tasks measured)."
std::string what_measurements_are_missing(const Study& study) {
  if (!study.expected || study.expected->has_useful_range()) return "";
  std::vector<std::string> parts;
  for (const WorthMeasuring& worth :
       study.next_runs ? study.next_runs->counts : std::vector<WorthMeasuring>{})
    if (const Place* place = study.solution.find(worth.component); place && place->tasks == worth.tasks)
      parts.push_back(
          fmt::format("{} on {} ({})", worth.component, counted(worth.tasks, "task"), worth.reason));
  if (!study.expected->run && !study.runs.empty())
    return "The time is uncertain by more than a factor of 2, because none of your runs confirms the models.";
  return "The time is uncertain by more than a factor of 2" +
         (parts.empty() ? "." : ", because measurements are missing: " + enumeration(parts) + ".");
}

/// Names the run that calibrates the time: "your run" if what_changes() compares the time with this one, too.
std::string calibrating_run(const Study& study) {
  const Reproduction& run = *study.expected->run;
  const bool is_compared = !study.own || (study.own->runs == 1 && study.own->path == run.path);
  return is_compared ? "your run"
                     : fmt::format("your run {} on {}", support::printable(run.path),
                                   counted(run.total, processor_of(study)));
}

/// Explains why the expected time differs from the times in the table: "By the models, the components take
/// 22.16 s/day, as shown below. The expected time is 3.1 % longer because each of the concurrent parts may be
/// late and 1.2 % longer because your run took longer than the models predict."
std::string how_time_follows_from_models(const Study& study) {
  const double by_models = study.solution.time;
  if (!study.expected || study.keeps_own_layout() ||
      cost_figure(study.time(), by_models) == cost_figure(by_models, by_models))
    return "";
  const ExpectedTime& expected = *study.expected;
  std::vector<std::string> reasons;
  const auto add = [&](double factor, const std::string& reason) {
    const std::string difference = support::format_percentage(std::abs(factor - 1));
    if (difference != support::format_percentage(0))
      reasons.push_back(
          fmt::format("{} {} because {}", difference, factor < 1 ? "shorter" : "longer", reason));
  };
  add(expected.by_models / by_models, "each of the concurrent parts may be late");
  if (expected.run)
    add(expected.time / expected.by_models,
        fmt::format("{} took {} than the models predict", calibrating_run(study),
                    expected.time < expected.by_models ? "less time" : "longer"));
  std::string text = fmt::format("By the models, the components take {} {}, as shown below.",
                                 cost_figure(by_models, by_models), unit_of(study));
  return reasons.empty() ? text : text + fmt::format(" The expected time is {}.", enumeration(reasons));
}

std::string how_well_runs_are_reproduced(const Study& study) {
  if (study.runs.empty()) return "";
  const auto worst = std::ranges::max(study.runs, {}, [](const auto& run) { return std::abs(run.error()); });
  return study.runs.size() == 1
             ? fmt::format("The models reproduce the time of your run with an error of {}.",
                           support::format_difference(worst.error()))
             : fmt::format(
                   "The models reproduce the times of your {} runs with a median error of {}, at most {}.",
                   study.runs.size(), support::format_percentage(median_error(study.runs)),
                   support::format_percentage(std::abs(worst.error())));
}

/// Formats the range of the time, " (90 %: 22.81 to 25.07)"; empty if both ends look the same.
std::string range_text(const Study& study) {
  if (!study.expected || !study.expected->has_useful_range()) return "";
  const std::string minimum = cost_figure(study.expected->range.min, study.time());
  const std::string maximum = cost_figure(study.expected->range.max, study.time());
  return minimum == maximum ? "" : fmt::format(" (90 %: {} to {})", minimum, maximum);
}

std::string nodes_text(const Study& study, std::int64_t total) {
  const auto& nodes = study.plan.nodes;
  const std::vector<Partition>& kinds = study.plan.partitions;
  if (!kinds.empty())
    return fmt::format(" ({} {} and {})", support::format_count(static_cast<std::uint64_t>(kinds[0].n_nodes)),
                       kinds[0].name, counted(kinds[1].n_nodes, kinds[1].name + " node"));
  return nodes ? fmt::format(" ({})", counted(nodes->count(total), "node")) : "";
}

std::vector<std::string> remarks(const Study& study) {
  std::vector<std::string> lines;
  if (study.keeps_own_layout()) lines = why_layout_is_kept(study);
  for (std::string line :
       {what_measurements_are_missing(study), what_changes(study), how_time_follows_from_models(study),
        how_well_runs_are_reproduced(study), what_is_not_understood(study), what_is_extrapolated(study)})
    if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::string Answer::headline() const {
  return fmt::format("{}: {} {}{}", layout, time, unit, range);
}

Answer answer(const Study& study) {
  const std::int64_t total = total_of(study);
  return {.layout = fmt::format("{} on {}{}", study.keeps_own_layout() ? "Keep your layout" : "Best layout",
                                counted(total, processor_of(study)), nodes_text(study, total)),
          .time = cost_figure(study.time(), study.time()),
          .unit = study.per_day() ? "s/model day" : unit_of(study),
          .range = range_text(study),
          .remarks = remarks(study),
          .notes = notes_of(study)};
}

}  // namespace plimsoll::pelayout
