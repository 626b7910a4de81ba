#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/rank_overlap.hpp"
#include "pelayout/models/find_model.hpp"

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

}  // namespace plimsoll::pelayout
