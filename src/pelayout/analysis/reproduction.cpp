#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <plimsoll/pelayout/prediction.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/rank_overlap.hpp"
#include "pelayout/analysis/uncertain_cost.hpp"
#include "pelayout/models/find_model.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

class Reproducer {
 public:
  Reproducer(const Planner& planner, std::int64_t total)
      : planner_(planner), models_(planner.models(total)) {}

  std::optional<Reproduction> reproduce(const TimingFile& run) {
    const bool per_day = planner_.problem().unit == CostUnit::seconds_per_day;
    const double measured = (per_day ? run.total_seconds_per_day : run.total_seconds).value_or(0);
    const std::optional<UncertainCosts> costs = predicted_costs(run);
    if (measured <= 0 || !costs) return std::nullopt;
    const Layout& layout = planner_.layout();
    const UncertainTime time = with_overhead(layout, time_in_run(layout.expression, *costs, run));
    return Reproduction{.path = run.path,
                        .tasks = tasks_of(run),
                        .total = total_of(run),
                        .predicted = time.mean,
                        .measured = measured};
  }

 private:
  /// Returns the costs of the layout's components on their tasks of the run. Empty if one is missing, or ran
  /// with a thread count without measurements.
  std::optional<UncertainCosts> predicted_costs(const TimingFile& run) {
    UncertainCosts costs;
    for (const std::string& name : components(planner_.layout().expression)) {
      const ComponentTiming* const timing = run.find(name);
      const auto& by_threads = find_model(models_, name)->by_threads;
      if (timing == nullptr || !by_threads.contains(timing->threads)) return std::nullopt;
      const ComponentRule& rule = planner_.layout().rule(name);
      const ScalingModel& model = *by_threads.at(timing->threads);
      costs[name] = uncertain_cost(model.cost(timing->tasks) * (1 + rule.overhead) + rule.wait,
                                   uncertainty(name, timing->threads, model), timing->tasks);
    }
    return costs;
  }

  const Uncertainty& uncertainty(const std::string& name, std::int64_t threads, const ScalingModel& model) {
    return uncertainties_.try_emplace({name, threads}, *planner_.problem().find(name), threads, model)
        .first->second;
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
  std::map<std::pair<std::string, std::int64_t>, Uncertainty> uncertainties_;  // by component and threads
};

}  // namespace

std::vector<Reproduction> reproduce(const Planner& planner, std::span<const TimingFile> runs) {
  Reproducer reproducer(planner, planner.problem().max_tasks());
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

double median_error(std::span<const Reproduction> runs) {
  if (runs.empty()) return 0;
  std::vector<double> errors;
  for (const Reproduction& run : runs) errors.push_back(std::abs(run.error()));
  std::ranges::sort(errors);
  return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

}  // namespace plimsoll::pelayout
