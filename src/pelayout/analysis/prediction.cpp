#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include <plimsoll/support/contract.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/reproduction.hpp"
#include "pelayout/analysis/run_arrangement.hpp"
#include "pelayout/models/models.hpp"
#include "pelayout/timing/run_groups.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

class Predictor {
 public:
  Predictor(const Planner& planner, const TimingFile& run) : planner_(planner), run_(run) {
    prediction_.path = run.path;
    for (const std::string& name : components(planner.layout().expression))
      timings_.push_back(timing_of(name));
  }

  Prediction predict() {
    predict_components();
    prediction_.predicted = layout_time(&ComponentPrediction::predicted);
    prediction_.from_measured_components = layout_time(&ComponentPrediction::measured);
    const std::optional<double> total = total_time(run_, planner_.problem().unit);
    if (!total) warn("missing total time of the run");
    prediction_.measured = total.value_or(0);
    for (std::string& contradiction : contradictions(planner_.layout().expression, run_))
      warn(std::move(contradiction));
    name_what_is_left_out();
    return std::move(prediction_);
  }

 private:
  void predict_components() {
    const std::vector<ComponentModel> models = planner_.models(end_of(timings_, planner_.counts_threads()));
    for (const ComponentTiming& timing : timings_) {
      const ComponentModel* const of_component = find_model(models, timing.component);
      PLIMSOLL_EXPECT(of_component != nullptr);  // the planner has checked for models
      const auto& by_threads = of_component->by_threads;
      PLIMSOLL_EXPECT(!by_threads.empty());
      if (!by_threads.contains(timing.threads))
        warn(fmt::format("no measurements of {} with {} threads; predicted from measurements with {}",
                         timing.component, timing.threads, by_threads.begin()->first));
      const ScalingModel& model = *find_model(models, timing.component, timing.threads);
      prediction_.components.push_back(
          {timing.component, timing.tasks, timing.threads, model.cost(timing.tasks), measured(timing)});
    }
  }

  double layout_time(double ComponentPrediction::*time) const {
    ComponentCosts costs;
    for (const ComponentPrediction& component : prediction_.components)
      costs[component.component] = priced(component.*time, planner_.layout().rule(component.component));
    return pelayout::layout_time(planner_.layout(), costs);
  }

  void name_what_is_left_out() {
    for (const ComponentTiming& timing : run_.components)
      if (std::ranges::find(timings_, timing.component, &ComponentTiming::component) == timings_.end() &&
          measured(timing) > 0)
        warn(fmt::format("{} took {:.3f} {} in the run, but is not in the layout", timing.component,
                         measured(timing), unit_symbol(planner_.problem().unit)));
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
    return cost_of(timing, run_, planner_.problem().unit);
  }

  void warn(std::string what) {
    prediction_.warnings.push_back(
        {.severity = Severity::warning, .what = std::move(what), .file = run_.path});
  }

  const Planner& planner_;
  const TimingFile& run_;
  std::vector<ComponentTiming> timings_;  ///< timings of the layout's components, in its order
  Prediction prediction_;
};

/// Names a property of a run that no known run has: "grid f09 instead of f19". Empty if it is unknown.
std::string difference(const char* name, std::string TimingFile::*property, const TimingFile& run,
                       std::span<const TimingFile> runs) {
  const auto known =
      std::ranges::find_if(runs, [&](const TimingFile& other) { return !(other.*property).empty(); });
  const bool occurs = std::ranges::find(runs, run.*property, property) != runs.end();
  if ((run.*property).empty() || known == runs.end() || occurs) return "";
  return fmt::format("{} {} instead of {}", name, run.*property, (*known).*property);
}

/// Names the model version or case of a run whose costs do not belong to those of the known runs; empty if
/// they do.
std::vector<std::string> hidden_differences(const TimingFile& run, std::span<const TimingFile> runs) {
  std::vector<TimingFile> all(runs.begin(), runs.end());
  all.push_back(run);
  const std::vector<RunGroup> groups = group_runs(all);
  if (groups.size() < 2 || groups.back().paths != std::vector{run.path}) return {};
  return {fmt::format("{} instead of {}", groups.back().setup, groups.front().setup)};
}

/// Warns if a run has another configuration than all runs from which the models were made.
void compare_configurations(const TimingFile& run, std::span<const TimingFile> runs, Prediction& prediction) {
  std::vector<std::string> differences = {difference("compset", &TimingFile::compset, run, runs),
                                          difference("grid", &TimingFile::grid, run, runs),
                                          difference("machine", &TimingFile::machine, run, runs)};
  std::erase(differences, "");
  if (differences.empty()) differences = hidden_differences(run, runs);
  if (differences.empty()) return;
  prediction.warnings.push_back(
      {.severity = Severity::warning,
       .what = fmt::format("another configuration than the measured runs: {}", fmt::join(differences, ", ")),
       .file = run.path});
}

/// Refuses a run whose times have another unit than those of the models: one of them per model day, the other
/// per coupling step. `of_models` is the file from which the models were made.
void check_unit(CostUnit unit, const std::string& of_models, const TimingFile& run) {
  if (unit == CostUnit::total_seconds || run.knows_days() == (unit == CostUnit::seconds_per_day)) return;
  const auto& [known, unknown] =
      run.knows_days() ? std::pair(run.path, of_models) : std::pair(of_models, run.path);
  throw support::bad_input(
      fmt::format("unknown number of model days, which {} has: the models cannot be compared with the run",
                  known),
      unknown, "set --steps_per_day or --run_days");
}

}  // namespace

double ComponentPrediction::error() const {
  return measured > 0 ? predicted / measured - 1 : std::numeric_limits<double>::quiet_NaN();
}

Prediction predict(const Planner& planner, const TimingFile& run, std::span<const TimingFile> runs) {
  check_unit(planner.problem().unit, runs.empty() ? planner.problem().path : runs.front().path, run);
  Prediction prediction = Predictor(planner, run).predict();
  compare_configurations(run, runs, prediction);
  prediction.expected = expected_time_of_run(planner, run, runs);
  return prediction;
}

}  // namespace plimsoll::pelayout
