#include <algorithm>
#include <cmath>
#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns the quotient of the measured and the predicted time.
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
