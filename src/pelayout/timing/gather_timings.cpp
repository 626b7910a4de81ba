#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/timing/work_notes.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Relative spread of repeats above which users get a warning.
constexpr double wide_spread = 0.1;
/// Spread in seconds that rounding in timing files may cause.
constexpr double resolution_s = 0.001;

using ThreadsAndTasks = std::pair<std::int64_t, std::int64_t>;

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
    if (!file.knows_days() && file.steps != files.front().steps)
      throw support::bad_input("cannot compare total seconds of runs with different numbers of steps",
                               file.path, "use seconds per coupling step (the default)");
    if (file.run_days == files.front().run_days) continue;
    throw support::bad_input(fmt::format("cannot compare total seconds of runs of {} and {} model days ({})",
                                         file.run_days, files.front().run_days, files.front().path),
                             file.path,
                             "use seconds per model day (the default), or only runs of the same length");
  }
}

/// Returns the unit of costs "per day": seconds per coupling step if no run has known days.
CostUnit unit_per_length(std::span<const TimingFile> files) {
  const auto unknown = std::ranges::find_if_not(files, &TimingFile::knows_days);
  if (unknown == files.end()) return CostUnit::seconds_per_day;
  const auto known = std::ranges::find_if(files, &TimingFile::knows_days);
  if (known != files.end())
    throw support::bad_input(
        fmt::format("unknown number of model days, which {} has: costs cannot be compared", known->path),
        unknown->path, "set --steps_per_day or --run_days, or remove this file");
  return std::ranges::all_of(files, [](const TimingFile& file) { return file.steps.has_value(); })
             ? CostUnit::seconds_per_step
             : CostUnit::total_seconds;
}

Coupler common_coupler(std::span<const TimingFile> files) {
  const Coupler coupler = files.front().coupler;
  const auto is_other = [&](const TimingFile& file) { return file.coupler != coupler; };
  return std::ranges::any_of(files, is_other) ? Coupler::driver : coupler;
}

Measurements& measurements_of(const ComponentTiming& timing, const TimingFile& file,
                              std::vector<Measurements>& all) {
  const auto known = std::ranges::find(all, timing.component, &Measurements::name);
  if (known == all.end())
    return all.emplace_back(
        Measurements{.name = timing.component, .model = timing.model, .first_file = &file, .costs = {}});
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
  warnings.push_back(
      {.severity = Severity::warning,
       .check = "spread",
       .what = fmt::format(
           "{} on {} tasks x {} threads: {} runs differ by {}, from {:.4g} s ({}) to {:.4g} s ({}); {:.4g} "
           "is used",
           component, sample.tasks, sample.threads, sample.repeats,
           sample.cost > 0 ? support::format_percentage(spread / sample.cost) : "more than 100 %",
           sample.minimum, ascending.front().file->path, sample.maximum, ascending.back().file->path,
           sample.cost),
       .suggestion = "remove or repeat a disturbed run"});
}

/// Returns whether a model computes something: stub, data and dead models are called "SOCN", "DOCN", "XOCN".
bool is_active(const Measurements& component) {
  return std::ranges::none_of(std::string_view("SDX"),
                              [&](char kind) { return component.model == kind + component.name; });
}

void warn_of_runs_without_time(const Measurements& component, std::vector<Diagnostic>& warnings) {
  if (component.without_time.empty() || !is_active(component)) return;
  const std::string model = component.model.empty() ? "" : fmt::format(" ({})", component.model);
  warnings.push_back({.severity = Severity::warning,
                      .check = "no-time",
                      .what = fmt::format("{}{} is active, but took 0.000 s in {} of the runs",
                                          component.name, model, component.without_time.size()),
                      .file = component.without_time.front()->path,
                      .suggestion = "check whether its time was measured"});
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
    std::ranges::stable_sort(costs, {}, &Cost::value);
    const Sample& sample = component.samples.emplace_back(Sample{.tasks = count.second,
                                                                 .threads = count.first,
                                                                 .cost = combined(costs, combination),
                                                                 .repeats = costs.size(),
                                                                 .minimum = costs.front().value,
                                                                 .maximum = costs.back().value});
    warn_of_spread(component.name, sample, costs, warnings);
  }
  return component;
}

}  // namespace

Problem gather_timings(std::span<const TimingFile> files, const GatherOptions& options,
                       std::vector<Diagnostic>& warnings) {
  if (files.empty()) throw support::bad_input("no timing files");
  const bool total = options.unit == CostUnit::total_seconds;
  if (total) require_one_run_length(files);

  Problem problem;
  problem.unit = total ? CostUnit::total_seconds : unit_per_length(files);
  problem.coupler = common_coupler(files);
  note_work(files, warnings);
  std::vector<Measurements> all;
  for (const TimingFile& file : files) {
    for (const ComponentTiming& timing : file.components) {
      if (options.threads && timing.threads != *options.threads) continue;
      Measurements& measurements = measurements_of(timing, file, all);
      measurements.costs[{timing.threads, timing.tasks}].push_back(
          {cost_of(timing, file, problem.unit), &file});
      measurements.instances.insert(std::clamp<std::int64_t>(timing.instances, 1, max_count));
      if (timing.seconds == 0) measurements.without_time.push_back(&file);
    }
  }
  if (all.empty())
    throw support::bad_input(
        fmt::format("no component runs with {} threads per task", options.threads.value_or(1)),
        files.front().path, "use another number of threads, or omit it to use all numbers");

  for (Measurements& measurements : all)
    problem.components.push_back(component_of(std::move(measurements), options.combination, warnings));
  return problem;
}

}  // namespace plimsoll::pelayout
