#include "pelayout/timing/run_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/layout/names.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

void check_steps_per_day(std::int64_t steps) {
  constexpr std::int64_t maximum = 86400;
  if (steps < 1 || steps > maximum)
    throw support::usage_error(
        fmt::format("invalid number of coupling steps per day {}: must be between 1 and {}", steps, maximum));
}

void check_run_facts(const RunFacts& facts) {
  if (facts.steps_per_day) check_steps_per_day(*facts.steps_per_day);
  constexpr double maximum_days = 1e9;
  if (facts.run_days && !(*facts.run_days > 0 && *facts.run_days <= maximum_days))
    throw support::usage_error(fmt::format("invalid number of model days {}: must be above 0 and at most {}",
                                           *facts.run_days, maximum_days));
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const MeasuredTasks& measured : facts.tasks) {
    if (measured.tasks < 1 || measured.tasks > max_count)
      throw support::usage_error(fmt::format("invalid number of tasks {} of {}: must be between 1 and {}",
                                             measured.tasks, measured.component, max_count));
    if (!known.emplace(measured.file, measured.component).second)
      throw support::usage_error(
          fmt::format("duplicate number of tasks of {}{}", measured.component,
                      measured.file.empty() ? "" : " in " + support::in_quotes(measured.file)),
          "specify one number per component and file");
  }
}

bool MeasuredTasks::is_of(std::string_view path) const {
  return file.empty() || path == file || path.ends_with("/" + file);
}

std::vector<MeasuredTasks> unused_tasks(const RunFacts& facts, std::span<const TimingFile> runs) {
  std::vector<MeasuredTasks> unused = facts.tasks;
  std::erase_if(unused, [&](const MeasuredTasks& measured) {
    return std::ranges::any_of(runs, [&](const TimingFile& run) {
      return run.coupler == Coupler::oasis && measured.is_of(run.path) &&
             run.find(measured.component) != nullptr;
    });
  });
  return unused;
}

std::vector<MeasuredTasks> parse_measured_tasks(const std::string& text) {
  const auto invalid = [&] {
    return support::usage_error(
        fmt::format("invalid value {}: expected [FILE:]NAME=N,...", support::in_quotes(text)),
        "use names and tasks of components, such as OpenIFS=432,oceanx=144");
  };
  const std::size_t colon = text.rfind(':');
  const std::string file = colon == std::string::npos ? "" : text.substr(0, colon);
  std::string_view rest = std::string_view(text).substr(colon == std::string::npos ? 0 : colon + 1);
  std::vector<MeasuredTasks> result;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) throw invalid();
    const auto tasks = support::parse_number<std::int64_t>(part.substr(equals + 1));
    if (!tasks || *tasks < 1 || *tasks > max_count) throw invalid();
    result.push_back({file, component_name(part.substr(0, equals)), *tasks});
  }
  if (result.empty()) throw invalid();
  return result;
}

std::string component_name(std::string_view name) {
  std::string result = support::upper_case(support::trimmed(name));
  std::ranges::replace_if(
      result, [](char letter) { return !is_word(letter); }, '_');
  return result;
}

void set_run_length(std::optional<std::int64_t> steps, const RunFacts& facts, TimingFile& run) {
  run.steps = steps;
  if (facts.run_days) {
    run.run_days = *facts.run_days;
    return;
  }
  const auto warn = [&run](const char* check, std::string what, std::string suggestion) {
    run.warnings.push_back({.severity = Severity::warning,
                            .check = check,
                            .what = std::move(what),
                            .file = run.path,
                            .suggestion = std::move(suggestion)});
  };
  if (!steps)
    return warn(unknown_days_check, "unknown number of model days: costs are those of the whole run",
                "set --run_days for costs per model day");
  if (!facts.steps_per_day)
    return warn(
        unknown_days_check,
        fmt::format("unknown number of model days: costs are per coupling step, of which the run has {}",
                    *steps),
        "set --steps_per_day to ATM_NCPL of the case, or --run_days, for costs per model day");
  run.run_days = static_cast<double>(*steps) / static_cast<double>(*facts.steps_per_day);
  if (*steps % *facts.steps_per_day != 0)
    warn("run-length",
         fmt::format("{} coupling steps are {:.6g} days of {} steps each: expected whole days", *steps,
                     run.run_days, *facts.steps_per_day),
         "check the number of coupling steps per day (--steps_per_day)");
}

double run_length(const TimingFile& run) {
  return run.knows_days() ? run.run_days : static_cast<double>(run.steps.value_or(1));
}

void set_total(double seconds, TimingFile& run) {
  run.total_seconds = seconds;
  run.total_seconds_per_day = seconds / run_length(run);
  if (run.knows_days() && seconds > 0) run.throughput = 86400 * run.run_days / (365 * seconds);
}

}  // namespace plimsoll::pelayout
