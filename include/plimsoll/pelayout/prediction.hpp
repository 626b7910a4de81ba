#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Predicted and measured time of one component in a run, without the layout's rules (overhead, wait).
struct ComponentPrediction {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double predicted = 0;  ///< time predicted by the model
  double measured = 0;   ///< time measured in the run; 0 if not measured
  double error() const;  ///< relative error, predicted / measured - 1; NaN if not measured
};

/// Total time of a run, measured and from the models at the task counts of its components. Times are in the
/// unit of the planner's data.
struct Reproduction {
  std::string path;        ///< timing file
  std::int64_t tasks = 0;  ///< MPI tasks of the whole run
  /// Size of the run in the unit of the planner's totals: tasks, or processors (see
  /// Planner::counts_threads()).
  std::int64_t total = 0;
  double predicted = 0;               ///< time from the models
  double measured = 0;                ///< total time of the run; > 0
  LayoutExpression arrangement = {};  ///< how the components of the planner's layout ran together in the run
  /// Critical path of the run: the time that the measured times of all its components add up to.
  double critical_path = 0;
  /// Whether the components of the run explain its total time, and the models explain the components. Other
  /// runs cannot calibrate anything.
  bool is_understood = true;
  double error() const { return predicted / measured - 1; }  ///< relative error of the prediction
  /// Returns the measured time that the models do not predict: components that are missing from the layout,
  /// communication, and waits of concurrent parts whose steps differ. Negative if the times of components
  /// include waits for each other.
  double unexplained() const { return measured - predicted; }
};

/// Computes the expected times of runs from the models, with the arrangement of the run, which follows from
/// the ranks of its components and its times, and not from the layout. Omits runs without a total time, runs
/// that lack a component of the layout, or a model for its thread count, and runs that do not fit the plan's
/// kinds of nodes. O(runs x components^3).
std::vector<Reproduction> reproduce(const Planner& planner, std::span<const TimingFile> runs);

/// Returns the understood run whose total is nearest to `total`, as a ratio, or null without such runs. The
/// fastest one wins a tie.
const Reproduction* nearest_run(std::span<const Reproduction> runs, std::int64_t total);

/// Returns the median of the sizes of the errors; 0 without runs.
double median_error(std::span<const Reproduction> runs);

/// Range of a time.
struct TimeRange {
  double min = 0;
  double max = 0;
};

/// A time with an error, which is normally distributed.
struct UncertainTime {
  double mean = 0;
  double variance = 0;

  /// Makes a time that differs from `mean` by at most `error` with a probability of 90 %.
  static UncertainTime within(double mean, double error);
  /// Returns the range that contains the time with a probability of 90 %.
  TimeRange range() const;
  /// Adds two times with independent errors.
  friend UncertainTime operator+(const UncertainTime& one, const UncertainTime& other) {
    return {one.mean + other.mean, one.variance + other.variance};
  }
};

/// Returns the maximum of two times with independent errors. Its mean is larger than either of the means: the
/// nearer the times, the more often the one that is expected to be shorter takes longer. Mean and variance
/// are exact for normal distributions; the maximum of more than two times is approximate. Source: Clark,
/// Operations Research 9, 145 (1961).
UncertainTime maximum(const UncertainTime& one, const UncertainTime& other);

/// Time that a layout is expected to take. If understood runs are known, it is calibrated with one of them:
/// the time that this run took longer than predicted is added, because waits, communication and missing
/// components also affect the layout. A run that took less time than predicted does not shorten the time:
/// the layout takes at least as long as its components.
struct ExpectedTime {
  double time = 0;                       ///< mean of the possible times
  TimeRange range;                       ///< contains the time with a probability of 90 %
  double by_models = 0;                  ///< the same without calibration
  std::optional<Reproduction> run = {};  ///< run that calibrates the time; empty without understood runs

  /// Returns the relative change of the run's time. A run must be known.
  double change() const {
    PLIMSOLL_EXPECT(run.has_value());
    return time / run->measured - 1;
  }
  /// Returns whether the change exceeds its uncertainty. A run must be known.
  bool is_certain() const {
    PLIMSOLL_EXPECT(run.has_value());
    return run->measured < range.min || run->measured > range.max;
  }
  /// Returns whether the range is narrow enough to be useful: the maximum is at most four times the minimum.
  bool has_useful_range() const { return range.max <= 4 * range.min; }
};

/// Returns the expected time of a layout for a total, whose time by the models is `by_models`. It is
/// calibrated with nearest_run(). The range then also contains
/// - the differences between the errors of the runs: beyond 20 runs, without the 5 % of the runs with the
///   largest errors at each end; if only one run is known, its whole error; if none is understood, the errors
///   of the models,
/// - the difference between two runs with the same layout: -16 to +20 %, see repeated_time().
///
/// Errors are added as independent errors, i.e. as squares. The range never contains 0. O(runs log runs).
ExpectedTime expected_time(const UncertainTime& by_models, std::span<const Reproduction> runs,
                           std::int64_t total);

/// Prediction of a run from the models at its task counts. All times are in the unit of the planner's data.
/// If `predicted` and `from_measured_components` agree, the models are accurate. If
/// `from_measured_components` and `measured` agree, the layout is accurate and covers the whole run time.
struct Prediction {
  std::string path;                             ///< path of the timing file
  std::vector<ComponentPrediction> components;  ///< components of the layout, in its order
  double predicted = 0;                         ///< time of the layout according to the models
  double from_measured_components = 0;          ///< time of the layout with the times measured in this run
  double measured = 0;                          ///< total time of the run; 0 if the file lacks it
  /// Total time that the run was expected to take, from the models and other runs.
  ExpectedTime expected = {};
  /// Warnings about
  /// - components of the run that took time but are missing from the layout,
  /// - thread counts without a model,
  /// - ranks that contradict the layout: shared by its concurrent parts, or not shared by its sequential
  ///   parts,
  /// - a missing total,
  /// - a compset, grid or machine that none of the runs has from which the models were made, or costs of
  ///   another model version or case.
  std::vector<Diagnostic> warnings;
};

/// Compares the models with a run. The total is the number of processors that the layout's components use in
/// the run. `runs` are the runs from which the models were made: a run with the placement of one of them is
/// expected to take as long. Throws Error (bad_input) if the run lacks a component of the layout, and if only
/// one of the run and the planner's data has times per model day, not per coupling step.
Prediction predict(const Planner& planner, const TimingFile& run, std::span<const TimingFile> runs = {});

}  // namespace plimsoll::pelayout
