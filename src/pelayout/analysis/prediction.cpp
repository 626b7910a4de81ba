#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/uncertainty.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

class Predictor {
 public:
  Predictor(const Planner& planner, const TimingFile& run)
      : planner_(planner), run_(run), names_(components(planner.layout().expression)) {
    prediction_.path = run.path;
  }

  Prediction predict() {
    predict_components();
    prediction_.predicted = layout_time(&ComponentPrediction::predicted);
    prediction_.from_measured_components = layout_time(&ComponentPrediction::measured);
    take_total();
    for (std::string& contradiction : contradictions(planner_.layout().expression, run_))
      warn(std::move(contradiction));
    name_what_is_left_out();
    return std::move(prediction_);
  }

 private:
  void predict_components() {
    const std::vector<ComponentModel> models = planner_.models(total());
    for (const std::string& name : names_) {
      const ComponentTiming& timing = timing_of(name);
      const ScalingModel* const model = find_model(models, name, timing.threads);
      if (model == nullptr) continue;  // never happens: the planner has checked for models
      if (!find_model(models, name)->by_threads.contains(timing.threads)) {
        warn(fmt::format("no measurements of {} with {} threads; predicted from measurements with {}", name,
                         timing.threads, find_model(models, name)->by_threads.begin()->first));
      }
      prediction_.components.push_back(
          {name, timing.tasks, timing.threads, model->cost(timing.tasks), measured(timing)});
    }
  }

  double layout_time(double ComponentPrediction::*time) const {
    ComponentCosts costs;
    for (const ComponentPrediction& component : prediction_.components) {
      const ComponentRule& rule = planner_.layout().rule(component.component);
      costs[component.component] = component.*time * (1 + rule.overhead) + rule.wait;
    }
    return pelayout::layout_time(planner_.layout(), costs);
  }

  void take_total() {
    const bool per_day = planner_.problem().unit == CostUnit::seconds_per_day;
    const std::optional<double> total = per_day ? run_.total_seconds_per_day : run_.total_seconds;
    if (!total) warn("missing total time of the run");
    prediction_.measured = total.value_or(0);
  }

  void name_what_is_left_out() {
    for (const ComponentTiming& timing : run_.components) {
      if (std::ranges::find(names_, timing.component) != names_.end() || measured(timing) <= 0) continue;
      warn(fmt::format("{} took {:.3f} {} in the run, but is not in the layout", timing.component,
                       measured(timing), unit_symbol(planner_.problem().unit)));
    }
  }

  const ComponentTiming& timing_of(const std::string& component) const {
    if (const ComponentTiming* const timing = run_.find(component)) return *timing;
    std::vector<std::string> present;
    for (const ComponentTiming& timing : run_.components) present.push_back(timing.component);
    throw support::bad_input(
        fmt::format("missing component in the run: the layout requires {}", component), run_.path,
        fmt::format("use a layout that contains only components of the run: {}", fmt::join(present, ", ")));
  }

  double measured(const ComponentTiming& timing) const {
    return planner_.problem().unit == CostUnit::seconds_per_day ? timing.seconds_per_day : timing.seconds;
  }

  /// Returns the number of processors that the layout's components span in the run. It is limited to a
  /// billion: files with larger numbers are wrong, and models do not change beyond this limit.
  std::int64_t total() const {
    double total = 1;
    for (const std::string& name : names_) {
      const ComponentTiming& timing = timing_of(name);
      const std::int64_t threads = planner_.counts_threads() ? timing.threads : 1;
      total = std::max(total, end_rank(timing) * static_cast<double>(threads));
    }
    return static_cast<std::int64_t>(std::min(total, 1e9));
  }

  void warn(std::string what) {
    Diagnostic warning;
    warning.severity = Severity::warning;
    warning.what = std::move(what);
    warning.file = run_.path;
    prediction_.warnings.push_back(std::move(warning));
  }

  const Planner& planner_;
  const TimingFile& run_;
  std::vector<std::string> names_;
  Prediction prediction_;
};

}  // namespace

double ComponentPrediction::error() const {
  return measured > 0 ? predicted / measured - 1 : std::numeric_limits<double>::quiet_NaN();
}

Prediction predict(const Planner& planner, const TimingFile& run) {
  return Predictor(planner, run).predict();
}

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
