#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include <plimsoll/pelayout/reproduction.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/rank_overlap.hpp"
#include "pelayout/models/find_model.hpp"

namespace plimsoll::inline v0_1::pelayout {

namespace {

class Reproducer {
 public:
  Reproducer(const Planner& planner, std::int64_t total)
      : planner_(planner), models_(planner.models(total)) {}

  std::optional<Reproduction> reproduce(const TimingFile& run) const {
    const bool per_day = planner_.problem().unit == CostUnit::seconds_per_day;
    const double measured = (per_day ? run.total_seconds_per_day : run.total_seconds).value_or(0);
    const std::optional<ComponentCosts> costs = predicted_costs(run);
    if (measured <= 0 || !costs) return std::nullopt;
    const Layout& layout = planner_.layout();
    return Reproduction{
        .path = run.path,
        .tasks = tasks_of(run),
        .total = total_of(run),
        .predicted = time_in_run(layout.expression, *costs, run) * (1 + layout.overhead) + layout.wait,
        .measured = measured};
  }

 private:
  /// Returns the costs of the layout's components on their tasks of the run. Empty if one is missing, or ran
  /// with a thread count without measurements.
  std::optional<ComponentCosts> predicted_costs(const TimingFile& run) const {
    ComponentCosts costs;
    for (const std::string& name : components(planner_.layout().expression)) {
      const ComponentTiming* const timing = run.find(name);
      const auto& by_threads = find_model(models_, name)->by_threads;
      if (timing == nullptr || !by_threads.contains(timing->threads)) return std::nullopt;
      const ComponentRule& rule = planner_.layout().rule(name);
      const double cost = by_threads.at(timing->threads)->cost(timing->tasks);
      costs[name] = cost * (1 + rule.overhead) + rule.wait;
    }
    return costs;
  }

  static std::int64_t tasks_of(const TimingFile& run) {
    double end = 1;
    for (const ComponentTiming& timing : run.components) end = std::max(end, end_rank(timing));
    return static_cast<std::int64_t>(std::min(end, static_cast<double>(max_count)));
  }

  /// Returns the tasks of a run or, if totals count processors, its processors: the number in its file, or as
  /// many as its largest component uses.
  std::int64_t total_of(const TimingFile& run) const {
    if (!planner_.counts_threads()) return tasks_of(run);
    if (run.processors && *run.processors > 0) return *run.processors;
    double processors = 1;
    for (const ComponentTiming& timing : run.components)
      processors = std::max(processors, end_rank(timing) * static_cast<double>(timing.threads));
    return static_cast<std::int64_t>(std::min(processors, static_cast<double>(max_count)));
  }

  const Planner& planner_;
  std::vector<ComponentModel> models_;
};

/// Returns the quotient of the measured and the predicted time.
double quotient(const Reproduction& run) {
  return run.measured / run.predicted;
}

/// Returns the minimum and maximum of quotients, without the 5 % at each end.
TimeRange spread(std::vector<double> quotients) {
  std::ranges::sort(quotients);
  const std::size_t ignored = quotients.size() / 20;
  return {quotients[ignored], quotients[quotients.size() - 1 - ignored]};
}

/// Extends the relative range [1 - below, 1 + above] by errors that lie in the range `quotients` of factors.
TimeRange with_errors(double below, double above, const TimeRange& quotients) {
  return {std::max(0.0, 1 - std::hypot(below, 1 - std::min(1.0, quotients.min))),
          1 + std::hypot(above, std::max(1.0, quotients.max) - 1)};
}

}  // namespace

std::vector<Reproduction> reproduce(const Planner& planner, std::span<const TimingFile> runs) {
  const Reproducer reproducer(planner, planner.problem().max_tasks());
  std::vector<Reproduction> reproductions;
  for (const TimingFile& run : runs)
    if (auto reproduction = reproducer.reproduce(run)) reproductions.push_back(std::move(*reproduction));
  return reproductions;
}

const Reproduction* nearest_run(std::span<const Reproduction> runs, std::int64_t total) {
  const auto distance = [total](const Reproduction& run) {
    const double ratio = static_cast<double>(run.total) / static_cast<double>(total);
    return std::tuple(std::abs(std::log(ratio)), run.measured);
  };
  const auto nearest = std::ranges::min_element(runs, {}, distance);
  return nearest == runs.end() ? nullptr : &*nearest;
}

TimeRange with_errors_of_runs(const TimeRange& range, double time, std::span<const Reproduction> runs) {
  std::vector<double> quotients;
  for (const Reproduction& run : runs)
    if (run.predicted > 0) quotients.push_back(quotient(run));
  if (quotients.empty() || time <= 0) return range;
  const TimeRange factors = with_errors(1 - range.min / time, range.max / time - 1, spread(quotients));
  return {time * factors.min, time * factors.max};
}

std::optional<ExpectedChange> expected_change(std::span<const Reproduction> runs, std::int64_t total,
                                              double time, const TimeRange& range) {
  const Reproduction* const run = nearest_run(runs, total);
  if (run == nullptr || run->predicted <= 0 || time <= 0) return std::nullopt;
  std::vector<double> quotients;
  for (const Reproduction& other : runs)
    if (&other != run && other.predicted > 0) quotients.push_back(quotient(other) / quotient(*run));
  if (quotients.empty()) quotients.push_back(1 / quotient(*run));
  const TimeRange factors = with_errors(1 - range.min / time, range.max / time - 1, spread(quotients));
  const double expected = time * quotient(*run);
  return ExpectedChange{
      .run = *run, .time = expected, .range = {expected * factors.min, expected * factors.max}};
}

double median_error(std::span<const Reproduction> runs) {
  if (runs.empty()) return 0;
  std::vector<double> errors;
  for (const Reproduction& run : runs) errors.push_back(std::abs(run.error()));
  std::ranges::sort(errors);
  return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

}  // namespace plimsoll::pelayout
