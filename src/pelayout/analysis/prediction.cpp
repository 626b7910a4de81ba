#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns the number of processors up to the last one of some components of a run, or of its ranks unless
/// threads are counted. It is limited: files with larger numbers are wrong, and models do not change beyond
/// this limit.
std::int64_t end_of(std::span<const ComponentTiming> components, bool counts_threads) {
  double end = 1;
  for (const ComponentTiming& timing : components)
    end = std::max(end, end_rank(timing) * static_cast<double>(counts_threads ? timing.threads : 1));
  return static_cast<std::int64_t>(std::min(end, static_cast<double>(max_count)));
}

std::optional<double> total_time(const TimingFile& run, const Problem& problem) {
  return problem.unit == CostUnit::total_seconds ? run.total_seconds : run.total_seconds_per_day;
}

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
    const std::optional<double> total = total_time(run_, planner_.problem());
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
    return planner_.problem().unit == CostUnit::total_seconds ? timing.seconds : timing.seconds_per_day;
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

class Reproducer {
 public:
  Reproducer(const Planner& planner, std::int64_t total)
      : planner_(planner), models_(planner.models(total)) {}

  std::optional<Reproduction> reproduce(const TimingFile& run) {
    const double measured = total_time(run, planner_.problem()).value_or(0);
    const std::optional<UncertainCosts> costs = predicted_costs(run);
    if (measured <= 0 || !costs) return std::nullopt;
    const Layout& layout = planner_.layout();
    const UncertainTime time = with_overhead(layout, time_in_run(layout.expression, *costs, run));
    return Reproduction{.path = run.path,
                        .tasks = end_of(run.components, false),
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
      const ScalingModel& model = *by_threads.at(timing->threads);
      costs[name] = uncertain_cost(priced(model.cost(timing->tasks), planner_.layout().rule(name)),
                                   uncertainty(name, timing->threads, model), timing->tasks);
    }
    return costs;
  }

  const Uncertainty& uncertainty(const std::string& name, std::int64_t threads, const ScalingModel& model) {
    return uncertainties_.try_emplace({name, threads}, *planner_.problem().find(name), threads, model)
        .first->second;
  }

  /// Returns the tasks of a run or, if totals count processors, its processors: the number in its file, or as
  /// many as its largest component uses.
  std::int64_t total_of(const TimingFile& run) const {
    const bool counts_threads = planner_.counts_threads();
    const bool is_known = counts_threads && run.processors && *run.processors > 0;
    return is_known ? *run.processors : end_of(run.components, counts_threads);
  }

  const Planner& planner_;
  std::vector<ComponentModel> models_;
  std::map<std::pair<std::string, std::int64_t>, Uncertainty> uncertainties_;  // by component and threads
};

/// Number of standard deviations around the mean that contain 90 % of a normal distribution.
constexpr double deviations_for_90_percent = 1.6448536269514722;

constexpr double share_per_doubling = 0.05;

/// Typical relative error of a curve through two measurements, which shows none at them. With it, left-out
/// points of real curves lie in the range of two others as often as in that of more.
constexpr double typical_error_of_two_points = 0.1;

double spread(const Sample& sample) {
  return sample.cost > 0 ? (sample.maximum - sample.minimum) / sample.cost : 0;
}

/// Multiple of Uncertainty::share() that exceeds 90 % of the errors for left-out points of 15 real curves,
/// both within the measured range and one step beyond.
constexpr double shares_for_90_percent = 2.2;

double quotient(const Reproduction& run) {
  return run.measured / run.predicted;
}

/// Returns the minimum and maximum of quotients, without the 5 % at each end.
TimeRange spread(std::vector<double> quotients) {
  std::ranges::sort(quotients);
  const std::size_t ignored = quotients.size() / 20;
  return {quotients[ignored], quotients[quotients.size() - 1 - ignored]};
}

/// Returns the range of the factors by which errors of other runs differ from the error of `run`.
TimeRange other_errors(std::span<const Reproduction> runs, const Reproduction& run) {
  std::vector<double> quotients;
  for (const Reproduction& other : runs)
    if (&other != &run && other.predicted > 0) quotients.push_back(quotient(other) / quotient(run));
  if (quotients.empty()) quotients.push_back(1 / quotient(run));
  return spread(std::move(quotients));
}

}  // namespace

double ComponentPrediction::error() const {
  return measured > 0 ? predicted / measured - 1 : std::numeric_limits<double>::quiet_NaN();
}

Prediction predict(const Planner& planner, const TimingFile& run) {
  return Predictor(planner, run).predict();
}

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
  std::vector<double> errors;
  for (const Reproduction& run : runs) errors.push_back(std::abs(run.error()));
  return median(std::move(errors));
}

UncertainTime UncertainTime::within(double mean, double error) {
  const double deviation = error / deviations_for_90_percent;
  return {mean, deviation * deviation};
}

TimeRange UncertainTime::range() const {
  const double error = deviations_for_90_percent * std::sqrt(variance);
  return {std::max(0.0, mean - error), mean + error};
}

UncertainTime maximum(const UncertainTime& one, const UncertainTime& other) {
  const double deviation = std::sqrt(one.variance + other.variance);
  if (deviation == 0) return {std::max(one.mean, other.mean), 0};
  const double gap = one.mean - other.mean;
  const double distance = gap / deviation;
  const double share = std::erfc(-distance / std::numbers::sqrt2) / 2;  // how often `one` is the longer one
  const double density =
      std::exp(-distance * distance / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2 * deviation;
  const double variance = one.variance * share + other.variance * (1 - share) +
                          gap * gap * share * (1 - share) + gap * density * (1 - 2 * share) -
                          density * density;
  return {other.mean + gap * share + density, std::max(0.0, variance)};
}

double doublings(std::int64_t one, std::int64_t other) {
  return std::abs(std::log2(static_cast<double>(one) / static_cast<double>(other)));
}

Uncertainty::Uncertainty(const Component& component, std::int64_t threads, const ScalingModel& model)
    : model_(model) {
  std::ranges::copy_if(component.samples, std::back_inserter(samples_),
                       [&](const Sample& sample) { return sample.threads == threads; });
  PLIMSOLL_EXPECT(!samples_.empty());
  fit_ = make_scaling_model(ModelKind::fit, component, threads, samples_.back().tasks);
}

double Uncertainty::share(std::int64_t tasks) const {
  const Sample& known = nearest(tasks);
  return disagreement(tasks) + spread(known) + share_per_doubling * doublings(tasks, known.tasks);
}

std::string Uncertainty::reason(std::int64_t tasks) const {
  const auto above = std::ranges::lower_bound(samples_, tasks, {}, &Sample::tasks);
  if (above == samples_.end()) return fmt::format("beyond the {} tasks measured", samples_.back().tasks);
  if (above->tasks == tasks) {
    if (above->repeats == 1) return "measured once";
    return fmt::format("{} measurements that differ by {}", above->repeats,
                       support::format_percentage(spread(*above)));
  }
  if (above == samples_.begin()) return fmt::format("below the {} tasks measured", above->tasks);
  return fmt::format("no measurements between {} and {} tasks", std::prev(above)->tasks, above->tasks);
}

std::vector<std::int64_t> Uncertainty::measured() const {
  std::vector<std::int64_t> counts;
  for (const Sample& sample : samples_) counts.push_back(sample.tasks);
  return counts;
}

double Uncertainty::disagreement(std::int64_t tasks) const {
  std::vector<double> costs = {model_.cost(tasks), fit_->cost(tasks), power_law(tasks)};
  if (samples_.size() == 1) costs.push_back(samples_.front().cost);  // the cost if it does not scale at all
  const auto [minimum, maximum] = std::ranges::minmax(costs);
  return maximum > 0 ? std::max((maximum - minimum) / maximum, typical_error()) : 0;
}

double Uncertainty::typical_error() const {
  return samples_.size() == 2 ? typical_error_of_two_points : fit_->quality()->typical_error;
}

double Uncertainty::power_law(std::int64_t tasks) const {
  auto right = std::ranges::lower_bound(samples_, tasks, {}, &Sample::tasks);
  if (right == samples_.end()) --right;
  if (right == samples_.begin() && samples_.size() > 1) ++right;
  const Sample& last = *right;
  double exponent = -1;  // exponent of perfect scaling, the only assumption possible with one point
  if (right != samples_.begin() && last.cost > 0 && std::prev(right)->cost > 0) {
    const Sample& first = *std::prev(right);
    exponent = std::log2(last.cost / first.cost) / doublings(last.tasks, first.tasks);
  }
  return last.cost * std::pow(static_cast<double>(tasks) / static_cast<double>(last.tasks), exponent);
}

const Sample& Uncertainty::nearest(std::int64_t tasks) const {
  return *std::ranges::min_element(samples_, {},
                                   [&](const Sample& sample) { return doublings(tasks, sample.tasks); });
}

UncertainTime uncertain_cost(double cost, const Uncertainty& uncertainty, std::int64_t tasks) {
  return UncertainTime::within(cost, shares_for_90_percent * uncertainty.share(tasks) * cost);
}

UncertainTime uncertain_time(const Planner& planner, std::span<const ComponentModel> models,
                             const Solution& solution) {
  UncertainCosts costs;
  for (const Place& place : solution.places) {
    const Uncertainty uncertainty(*planner.problem().find(place.component), place.threads,
                                  *find_model(models, place.component, place.threads));
    costs[place.component] = uncertain_cost(place.cost, uncertainty, place.tasks);
  }
  return layout_time(planner.layout(), costs);
}

ExpectedTime expected_time(const UncertainTime& by_models, std::span<const Reproduction> runs,
                           std::int64_t total) {
  ExpectedTime expected = {.time = by_models.mean, .range = by_models.range(), .by_models = by_models.mean};
  const Reproduction* const run = nearest_run(runs, total);
  if (run == nullptr || run->predicted <= 0 || by_models.mean <= 0) return expected;
  const TimeRange errors = other_errors(runs, *run);
  const double below = 1 - expected.range.min / by_models.mean;
  const double above = expected.range.max / by_models.mean - 1;
  expected.run = *run;
  expected.time = by_models.mean * quotient(*run);
  expected.range.min = expected.time * std::max(0.0, 1 - std::hypot(below, 1 - std::min(1.0, errors.min)));
  expected.range.max = expected.time * (1 + std::hypot(above, std::max(1.0, errors.max) - 1));
  return expected;
}

}  // namespace plimsoll::pelayout
