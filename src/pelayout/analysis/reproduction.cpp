#include "pelayout/analysis/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <plimsoll/pelayout/own_layout.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/repeats.hpp"
#include "pelayout/analysis/run_arrangement.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Quotients of total time and critical path within which the components of a run explain its total.
/// Components wait for each other in their own times, so their sum may exceed the total. Concurrent parts
/// whose steps differ, communication and the driver take up to a third of the time.
constexpr TimeRange explained = {.min = 0.87, .max = 1.5};

/// Relative error of models that is ignored in addition to their uncertainty.
constexpr double ignored_error = 0.1;

/// Returns the time that the measured times of all components of a run add up to.
double critical_path_of_run(const TimingFile& run, CostUnit unit) {
  const std::vector<std::string> active = active_components(run);
  return active.empty() ? 0 : critical_path(arrangement_in_run(run, active), run, unit);
}

class Reproducer {
 public:
  explicit Reproducer(const Planner& planner)
      : planner_(planner), models_(planner, planner.problem().max_tasks()) {}

  std::optional<Reproduction> reproduce(const TimingFile& run) {
    const CostUnit unit = planner_.problem().unit;
    const std::optional<double> measured = total_time(run, unit);
    const std::vector<std::string> names = components(planner_.layout().expression);
    if (!measured || !has_models(run, names)) return std::nullopt;
    Layout layout = planner_.layout();
    layout.expression = arrangement_in_run(run, names);
    const UncertainTime predicted = layout_time(layout, predicted_costs(run, names));
    const double path = critical_path_of_run(run, unit);
    const double path_of_layout = critical_path(layout.expression, run, unit);
    return Reproduction{
        .path = run.path,
        .tasks = end_of(run.components, false),
        .total = size_of(planner_, run),
        .predicted = predicted.mean,
        .measured = *measured,
        .arrangement = layout.expression,
        .critical_path = path,
        .is_understood = explains(path, *measured) && models_explain(predicted, path_of_layout)};
  }

  /// Returns the time of a run's arrangement by the models, including components that are missing from the
  /// layout.
  UncertainTime time_of_all(const TimingFile& run) {
    std::vector<std::string> names = active_components(run);
    std::erase_if(names, [&](const std::string& name) { return !has_models(run, {name}); });
    if (names.empty()) return {};
    Layout layout = planner_.layout();
    layout.expression = arrangement_in_run(run, names);
    return layout_time(layout, predicted_costs(run, names));
  }

 private:
  /// Returns whether a run contains components, and they have models for its thread counts.
  bool has_models(const TimingFile& run, const std::vector<std::string>& names) const {
    return std::ranges::all_of(names, [&](const std::string& name) {
      const ComponentTiming* const timing = run.find(name);
      return timing != nullptr && models_.has(name, timing->threads);
    });
  }

  UncertainCosts predicted_costs(const TimingFile& run, const std::vector<std::string>& names) {
    UncertainCosts costs;
    for (const std::string& name : names) {
      const ComponentTiming& timing = *run.find(name);
      costs[name] = models_.cost(name, timing.tasks, timing.threads);
    }
    return costs;
  }

  static bool explains(double path, double measured) {
    return measured >= explained.min * path && measured <= explained.max * path;
  }

  static bool models_explain(const UncertainTime& predicted, double path_of_layout) {
    const TimeRange range = predicted.range();
    return path_of_layout >= range.min / (1 + ignored_error) &&
           path_of_layout <= range.max * (1 + ignored_error);
  }

  const Planner& planner_;
  UncertainModels models_;
};

/// Returns the time that a calibrated prediction adds to the time by the models.
double added_time(const Reproduction& run) {
  return std::max(0.0, run.unexplained());
}

/// Returns the minimum and maximum of quotients, without the 5 % at each end.
TimeRange spread(std::vector<double> quotients) {
  std::ranges::sort(quotients);
  const std::size_t ignored = quotients.size() / 20;
  return {quotients[ignored], quotients[quotients.size() - 1 - ignored]};
}

/// Returns the range of the factors by which other runs differ from predictions that `run` calibrates. Runs
/// that are not understood calibrate nothing, but show how wrong the models may be.
TimeRange other_errors(std::span<const Reproduction> runs, const Reproduction& run) {
  std::vector<double> quotients;
  for (const Reproduction& other : runs)
    if (&other != &run && other.predicted > 0)
      quotients.push_back(other.measured / (other.predicted + added_time(run)));
  if (quotients.empty())
    quotients.push_back(std::min(run.predicted / run.measured, run.measured / run.predicted));
  return spread(std::move(quotients));
}

/// Returns the range around a time whose ends have independent relative errors.
TimeRange range_of(double time, double below, double above) {
  return {time * lower_factor(below), time * (1 + above)};
}

struct RelativeErrors {
  double below = 0;
  double above = 0;
};

/// Returns the range of the factors by which runs differ from the models, which none of them calibrates.
TimeRange errors_of_models(std::span<const Reproduction> runs) {
  std::vector<double> quotients = {1};
  for (const Reproduction& run : runs)
    if (run.predicted > 0) quotients.push_back(run.measured / run.predicted);
  return spread(std::move(quotients));
}

/// Returns the errors of a prediction, in addition to those of its models, from the factors of known runs.
RelativeErrors relative_errors(const TimeRange& errors) {
  const TimeRange repeats = factors_of_repeats();
  return {std::hypot(1 - std::min(1.0, errors.min), 1 - repeats.min),
          std::hypot(std::max(1.0, errors.max) - 1, repeats.max - 1)};
}

}  // namespace

bool is_shorter_than_components(const TimingFile& run, CostUnit unit) {
  const std::optional<double> total = total_time(run, unit);
  return total && *total < explained.min * critical_path_of_run(run, unit);
}

std::int64_t size_of(const Planner& planner, const TimingFile& run) {
  const bool is_known = planner.counts_threads() && run.processors && *run.processors > 0;
  return is_known ? *run.processors : end_of(run.components, planner.counts_threads());
}

std::vector<Reproduction> reproduce(const Planner& planner, std::span<const TimingFile> runs) {
  Reproducer reproducer(planner);
  std::vector<Reproduction> reproductions;
  for (const TimingFile& run : runs)
    if (fits_kinds_of_nodes(planner, run))
      if (auto reproduction = reproducer.reproduce(run)) reproductions.push_back(std::move(*reproduction));
  return reproductions;
}

const Reproduction* nearest_run(std::span<const Reproduction> runs, std::int64_t total) {
  const auto distance = [total](const Reproduction& run) {
    const double ratio = static_cast<double>(run.total) / static_cast<double>(total);
    return std::tuple(!run.is_understood, std::abs(std::log(ratio)), run.measured);
  };
  const auto nearest = std::ranges::min_element(runs, {}, distance);
  return nearest == runs.end() || !nearest->is_understood ? nullptr : &*nearest;
}

double median_error(std::span<const Reproduction> runs) {
  std::vector<double> errors;
  for (const Reproduction& run : runs) errors.push_back(std::abs(run.error()));
  return median(std::move(errors));
}

ExpectedTime expected_time(const UncertainTime& by_models, std::span<const Reproduction> runs,
                           std::int64_t total) {
  ExpectedTime expected = {.time = by_models.mean, .range = by_models.range(), .by_models = by_models.mean};
  if (runs.empty() || by_models.mean <= 0) return expected;
  const Reproduction* const run = nearest_run(runs, total);
  if (run != nullptr && run->predicted <= 0) return expected;
  const double of_models = expected.range.max / by_models.mean - 1;
  const RelativeErrors errors =
      relative_errors(run == nullptr ? errors_of_models(runs) : other_errors(runs, *run));
  if (run != nullptr) {
    expected.run = *run;
    expected.time = by_models.mean + added_time(*run);
  }
  expected.range =
      range_of(expected.time, std::hypot(of_models, errors.below), std::hypot(of_models, errors.above));
  return expected;
}

bool have_same_placement(const TimingFile& one, const TimingFile& other) {
  const bool knows_ranks = one.knows_ranks() && other.knows_ranks();
  const auto same = [knows_ranks](const TimingFile& from, const TimingFile& to) {
    return std::ranges::all_of(from.components, [&](const ComponentTiming& timing) {
      const ComponentTiming* const found = to.find(timing.component);
      return timing.seconds == 0 || (found != nullptr && (!knows_ranks || found->root == timing.root) &&
                                     std::tie(found->tasks, found->threads, found->stride) ==
                                         std::tie(timing.tasks, timing.threads, timing.stride));
    });
  };
  return same(one, other) && same(other, one);
}

ExpectedTime expected_time_of_run(const Planner& planner, const TimingFile& run,
                                  std::span<const TimingFile> others) {
  Reproducer reproducer(planner);
  const UncertainTime by_models = reproducer.time_of_all(run);
  const CostUnit unit = planner.problem().unit;
  std::vector<double> repeats;
  for (const TimingFile& other : others)
    if (const auto total = total_time(other, unit);
        total && have_same_placement(other, run) && !is_shorter_than_components(other, unit))
      repeats.push_back(*total);
  if (!repeats.empty()) {
    const RepeatedTime repeated = repeated_time(std::move(repeats));
    return {.time = repeated.time, .range = repeated.range, .by_models = by_models.mean};
  }
  // A calibrating run is compared with all of its components, too.
  std::vector<Reproduction> runs;
  for (const TimingFile& other : others)
    if (std::optional<Reproduction> reproduction = reproducer.reproduce(other)) {
      reproduction->predicted = reproducer.time_of_all(other).mean;
      runs.push_back(std::move(*reproduction));
    }
  return expected_time(by_models, runs, size_of(planner, run));
}

}  // namespace plimsoll::pelayout
