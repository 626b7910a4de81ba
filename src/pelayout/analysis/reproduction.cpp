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

  const Planner& planner_;
  std::vector<ComponentModel> models_;
};

}  // namespace

std::vector<Reproduction> reproduce(const Planner& planner, std::span<const TimingFile> runs) {
  const Reproducer reproducer(planner, planner.problem().max_tasks());
  std::vector<Reproduction> reproductions;
  for (const TimingFile& run : runs)
    if (auto reproduction = reproducer.reproduce(run)) reproductions.push_back(std::move(*reproduction));
  return reproductions;
}

const Reproduction* nearest_run(std::span<const Reproduction> runs, std::int64_t tasks) {
  const auto distance = [tasks](const Reproduction& run) {
    const double ratio = static_cast<double>(run.tasks) / static_cast<double>(tasks);
    return std::tuple(std::abs(std::log(ratio)), run.measured);
  };
  const auto nearest = std::ranges::min_element(runs, {}, distance);
  return nearest == runs.end() ? nullptr : &*nearest;
}

double median_error(std::span<const Reproduction> runs) {
  if (runs.empty()) return 0;
  std::vector<double> errors;
  for (const Reproduction& run : runs) errors.push_back(std::abs(run.error()));
  std::ranges::sort(errors);
  return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

}  // namespace plimsoll::pelayout
