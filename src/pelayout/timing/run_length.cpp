#include "pelayout/timing/run_length.hpp"

#include <fmt/format.h>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

void check_steps_per_day(std::int64_t steps) {
  constexpr std::int64_t maximum = 86400;
  if (steps < 1 || steps > maximum)
    throw support::usage_error(
        fmt::format("invalid number of coupling steps per day {}: must be between 1 and {}", steps, maximum));
}

void set_run_length(std::int64_t steps, std::optional<std::int64_t> steps_per_day, TimingFile& run) {
  run.steps = steps;
  if (!steps_per_day) {
    run.warnings.push_back(
        {.severity = Severity::warning,
         .check = unknown_days_check,
         .what = fmt::format("unknown number of model days: costs are per coupling step, of which the run "
                             "has {}",
                             steps),
         .file = run.path,
         .suggestion = "set --steps_per_day to ATM_NCPL of the case for costs per model day"});
    return;
  }
  run.run_days = static_cast<double>(steps) / static_cast<double>(*steps_per_day);
  if (steps % *steps_per_day == 0) return;
  run.warnings.push_back(
      {.severity = Severity::warning,
       .check = "run-length",
       .what = fmt::format("{} coupling steps are {:.6g} days of {} steps each: expected whole days", steps,
                           run.run_days, *steps_per_day),
       .file = run.path,
       .suggestion = "check the number of coupling steps per day (--steps_per_day)"});
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
