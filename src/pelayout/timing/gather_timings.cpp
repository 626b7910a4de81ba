#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Relative spread of repeats above which users get a warning.
constexpr double wide_spread = 0.1;
/// Spread in seconds that rounding in timing files may cause.
constexpr double resolution_s = 0.001;

using ThreadsAndTasks = std::pair<std::int64_t, std::int64_t>;

/// Cost of a component in one run.
struct Cost {
  double value = 0;
  const TimingFile* file = nullptr;
};

/// Costs of a component in all runs.
struct Measurements {
  std::string name;
  std::string model;
  const TimingFile* first_file = nullptr;
  std::set<std::int64_t> instances = {};             ///< numbers of copies in the ensembles of all runs
  std::vector<const TimingFile*> without_time = {};  ///< runs in which the component took 0 s
  std::map<ThreadsAndTasks, std::vector<Cost>> costs;
};

double combined(const std::vector<Cost>& ascending, Combination combination) {
  const std::size_t count = ascending.size();
  switch (combination) {
    case Combination::minimum: break;
    case Combination::mean: {
      double sum = 0;
      for (const Cost& cost : ascending) sum += cost.value;
      // Clamp the mean, because rounding could make the mean of equal numbers differ from them.
      return std::clamp(sum / static_cast<double>(count), ascending.front().value, ascending.back().value);
    }
    case Combination::median:
      return std::midpoint(ascending[(count - 1) / 2].value, ascending[count / 2].value);
  }
  return ascending.front().value;
}

void require_one_run_length(std::span<const TimingFile> files) {
  for (const TimingFile& file : files) {
    if (file.run_days == files.front().run_days) continue;
    throw support::bad_input(fmt::format("cannot compare total seconds of runs of {} and {} model days ({})",
                                         file.run_days, files.front().run_days, files.front().path),
                             file.path,
                             "use seconds per model day (the default), or only runs of the same length");
  }
}

Measurements& measurements_of(const ComponentTiming& timing, const TimingFile& file,
                              std::vector<Measurements>& all) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const Measurements& measurements) {
    return measurements.name == timing.component;
  });
  if (known == all.end()) {
    all.push_back({.name = timing.component, .model = timing.model, .first_file = &file, .costs = {}});
    return all.back();
  }
  if (known->model.empty()) {
    known->model = timing.model;
    known->first_file = &file;
  }
  if (!timing.model.empty() && known->model != timing.model)
    throw support::bad_input(fmt::format("inconsistent models of {}: {}, but {} in {}", timing.component,
                                         timing.model, known->model, known->first_file->path),
                             file.path, "remove one of them: costs of different models cannot be combined");
  return *known;
}

void warn_of_spread(const std::string& component, const Sample& sample, const std::vector<Cost>& ascending,
                    std::vector<Diagnostic>& warnings) {
  const double spread = sample.maximum - sample.minimum;
  if (spread <= resolution_s || spread <= wide_spread * sample.cost) return;
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.check = "spread";
  warning.what = fmt::format(
      "{} on {} tasks x {} threads: {} runs differ by {}, from {:.4g} s ({}) to {:.4g} s ({}); {:.4g} is "
      "used",
      component, sample.tasks, sample.threads, sample.repeats,
      sample.cost > 0 ? support::format_percentage(spread / sample.cost) : "more than 100 %", sample.minimum,
      ascending.front().file->path, sample.maximum, ascending.back().file->path, sample.cost);
  warning.suggestion = "remove or repeat a disturbed run";
  warnings.push_back(std::move(warning));
}

/// Returns whether a model computes something: stub, data and dead models are called "SOCN", "DOCN", "XOCN".
bool is_active(const Measurements& component) {
  const bool imitation = component.model.size() == component.name.size() + 1 &&
                         component.model.ends_with(component.name) &&
                         std::string_view("SDX").find(component.model.front()) != std::string_view::npos;
  return !imitation;
}

void warn_of_runs_without_time(const Measurements& component, std::vector<Diagnostic>& warnings) {
  if (component.without_time.empty() || !is_active(component)) return;
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.check = "no-time";
  const std::string model = component.model.empty() ? "" : fmt::format(" ({})", component.model);
  warning.what = fmt::format("{}{} is active, but took 0.000 s in {} of the runs", component.name, model,
                             component.without_time.size());
  warning.file = component.without_time.front()->path;
  warning.suggestion = "check whether its time was measured";
  warnings.push_back(std::move(warning));
}

/// Returns the lowest common multiple of numbers of instances, at most max_count.
std::int64_t common_multiple_of(const std::set<std::int64_t>& instances) {
  std::int64_t multiple = 1;
  for (const std::int64_t number : instances) multiple = std::min(std::lcm(multiple, number), max_count);
  return multiple;
}

/// Reports that CIME distributes the tasks of an ensemble evenly to its instances.
void report_instances(const Measurements& component, std::vector<Diagnostic>& warnings) {
  const std::int64_t multiple = common_multiple_of(component.instances);
  if (multiple == 1) return;
  warnings.push_back(
      {.severity = Severity::note,
       .check = "instances",
       .what = fmt::format("{} ran with {} instances (NINST): its task counts are multiples of {}",
                           component.name, fmt::join(component.instances, " or "), multiple)});
}

Component component_of(Measurements&& measurements, Combination combination,
                       std::vector<Diagnostic>& warnings) {
  warn_of_runs_without_time(measurements, warnings);
  report_instances(measurements, warnings);
  Component component;
  component.block_size = common_multiple_of(measurements.instances);
  if (measurements.instances.size() == 1) component.instances = *measurements.instances.begin();
  component.name = std::move(measurements.name);
  component.model = std::move(measurements.model);
  for (auto& [count, costs] : measurements.costs) {
    std::stable_sort(costs.begin(), costs.end(),
                     [](const Cost& a, const Cost& b) { return a.value < b.value; });
    Sample sample;
    sample.threads = count.first;
    sample.tasks = count.second;
    sample.cost = combined(costs, combination);
    sample.repeats = costs.size();
    sample.minimum = costs.front().value;
    sample.maximum = costs.back().value;
    warn_of_spread(component.name, sample, costs, warnings);
    component.samples.push_back(sample);
  }
  return component;
}

}  // namespace

Problem gather_timings(std::span<const TimingFile> files, const GatherOptions& options,
                       std::vector<Diagnostic>& warnings) {
  if (files.empty()) throw support::bad_input("no timing files");
  const bool total = options.unit == CostUnit::total_seconds;
  if (total) require_one_run_length(files);

  std::vector<Measurements> all;
  for (const TimingFile& file : files) {
    for (const ComponentTiming& timing : file.components) {
      if (options.threads && timing.threads != *options.threads) continue;
      Measurements& measurements = measurements_of(timing, file, all);
      measurements.costs[{timing.threads, timing.tasks}].push_back(
          {total ? timing.seconds : timing.seconds_per_day, &file});
      measurements.instances.insert(std::clamp<std::int64_t>(timing.instances, 1, max_count));
      if (timing.seconds == 0) measurements.without_time.push_back(&file);
    }
  }
  if (all.empty())
    throw support::bad_input(
        fmt::format("no component runs with {} threads per task", options.threads.value_or(1)),
        files.front().path, "use another number of threads, or omit it to use all numbers");

  Problem problem;
  problem.unit = options.unit;
  for (Measurements& measurements : all)
    problem.components.push_back(component_of(std::move(measurements), options.combination, warnings));
  return problem;
}

}  // namespace plimsoll::pelayout
