#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Total time of a run, measured and from the models at the task counts of its components. Times are in the
/// unit of the planner's data.
struct Reproduction {
  std::string path;        ///< timing file
  std::int64_t tasks = 0;  ///< MPI tasks of the whole run
  /// Size of the run in the unit of the planner's totals: tasks, or processors (see
  /// Planner::counts_threads()).
  std::int64_t total = 0;
  double predicted = 0;                                      ///< time from the models
  double measured = 0;                                       ///< total time of the run; > 0
  double error() const { return predicted / measured - 1; }  ///< relative error of the prediction
};

/// Computes the times of runs from the models, with the arrangement of the run: parts that the layout runs
/// concurrently are added if they share ranks in the run. Omits runs without a total time, and runs that lack
/// a component of the layout, or a model for its thread count. O(runs x components^2).
std::vector<Reproduction> reproduce(const Planner& planner, std::span<const TimingFile> runs);

/// Returns the run whose total is nearest to `total`, as a ratio, or null without runs. The fastest one wins
/// a tie.
const Reproduction* nearest_run(std::span<const Reproduction> runs, std::int64_t total);

/// Range of a time.
struct TimeRange {
  double min = 0;
  double max = 0;
};

/// Returns the range of a time that the models predict, extended by the errors that the models have for the
/// runs. `range` is the range without these errors. If the runs take longer than predicted, the upper end
/// rises; if they take less, the lower end falls. Errors are added as independent errors, i.e. as squares.
/// Beyond 20 runs, the 5 % of the runs with the largest errors at each end are ignored.
TimeRange with_errors_of_runs(const TimeRange& range, double time, std::span<const Reproduction> runs);

/// Time of a layout, estimated from the measured time of a run: the models only predict the ratio of the two
/// times, so that their common error, such as a missing component, has no effect.
struct ExpectedChange {
  Reproduction run;  ///< the run with which the layout is compared
  double time = 0;   ///< measured time of the run x predicted time of the layout / predicted time of the run
  TimeRange range;   ///< range of `time`

  double change() const { return time / run.measured - 1; }  ///< relative change of the run's time
  /// Returns whether the change exceeds its uncertainty.
  bool is_certain() const { return run.measured < range.min || run.measured > range.max; }
};

/// Compares a layout for a total with nearest_run(). `time` and `range` are the layout's time and its
/// range from the models alone. The range of the result also contains the differences between the errors of
/// the runs; if only one run is known, its whole error. Empty without runs, and if the models predict no
/// time.
std::optional<ExpectedChange> expected_change(std::span<const Reproduction> runs, std::int64_t total,
                                              double time, const TimeRange& range);

/// Returns the median of the sizes of the errors; 0 without runs.
double median_error(std::span<const Reproduction> runs);

}  // namespace plimsoll::pelayout
