#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Request for one phase of a data set: the phase, its loads, and the coefficients of the work model. The
/// functions below read the requested columns, those that the strategies need, and LDStats::memory if the
/// data contain memory sizes, so that the cost of a placement is known.
struct PhaseRequest {
  std::optional<std::int64_t> phase = {};  ///< phase to use; default: the last with data on all ranks
  /// Pipeline for make_load_model(); strategies balance the loads that it predicts.
  std::string load_model = measured_loads;
  PhaseColumns columns = {};  ///< columns to read even if no strategy needs them
  /// Whether ranks have the background load of the data. It does not have the unit of other loads, such as
  /// those of use_load_field().
  bool background = true;
  /// Coefficients of the work model. Without them, work equals load: ProcStats::rank_alpha is ignored, too.
  std::optional<WorkCoefficients> work = {};
  /// Number of ranks to simulate with replicated() stats; default: the ranks of the data. The objects of the
  /// phase then are not those of the data set, so that their placement cannot be applied to it.
  std::optional<std::int64_t> simulate_ranks = {};
};

/// Result of one strategy on one phase.
struct StrategyResult {
  std::string strategy;   ///< name of the strategy
  Parameters parameters;  ///< values of all parameters, including defaults
  std::string failure;    ///< reason why the strategy failed; empty if it succeeded
  /// Quality of the new placement. After a failure, this member and the members below are not valid.
  Quality quality;
  std::vector<double> rank_loads_s;  ///< time at which each processor finishes (finish_times())
  double decision_s = 0;             ///< wall time of work()
  std::vector<Remark> remarks;       ///< remarks of the strategy; may be empty
  /// Whether neither another result of the comparison nor the initial placement dominates this result.
  bool non_dominated = false;
};

/// Runs a strategy; the new placement is in stats.to_proc afterwards. Throws like Strategy::work().
StrategyResult run(Strategy& strategy, LDStats& stats, const WorkCoefficients& coefficients = {});

/// Returns the remarks of a strategy that has run, a remark if stats.to_proc misses its target, and one if
/// the strategy ignores LDStats::subphases.
std::vector<Remark> remarks_on(const Strategy& strategy, const LDStats& stats);

/// New placement of the objects of one phase.
struct Decision {
  DatasetPhase phase;                ///< phase as the strategy saw it; its stats.to_proc is the new placement
  Bound bound;                       ///< lower bound for every placement
  std::optional<double> work_bound;  ///< lower bound on the maximum work, if a work model was requested
  Quality before;                    ///< quality of the phase as recorded
  StrategyResult result;             ///< result of the strategy

  /// Returns the rank of each object, for apply_placement().
  const std::vector<std::int32_t>& placement() const { return phase.stats.to_proc; }
};

/// Computes a new placement for one phase with a strategy, like `plimsoll balance`. Throws like load_phase(),
/// make_load_model(), apply_load_model() and Strategy::work(). Throws Error (bad_input) if no phase has data
/// on all ranks.
Decision decide(const lbdata::Dataset& dataset, Strategy& strategy, const PhaseRequest& request = {});

/// Makes the strategy with make_strategy() and the work model of the request, and runs it.
Decision decide(const lbdata::Dataset& dataset, const StrategySpec& strategy,
                const PhaseRequest& request = {});

/// Results of several strategies on one phase.
struct Comparison {
  Bound bound;                          ///< lower bound for every placement
  std::optional<double> work_bound;     ///< lower bound on the maximum work, if a work model was requested
  Quality start;                        ///< quality of the initial placement (from_proc)
  std::vector<StrategyResult> results;  ///< results in the order of the strategies
};

/// Runs the strategies on the same stats, one after another. If a strategy throws Error, its result contains
/// the message in `failure`; if all strategies throw Error, so does this function, with the first one. Throws
/// Error for invalid stats. Restores stats.to_proc afterwards.
Comparison compare(LDStats& stats, std::span<const std::unique_ptr<Strategy>> strategies,
                   const WorkCoefficients& coefficients = {},
                   support::Progress& progress = support::Progress::none());

/// Comparison together with its phase.
struct PhaseComparison {
  DatasetPhase phase;  ///< phase as the strategies saw it
  Comparison comparison;
};

/// Compares strategies on one phase of a data set, like `plimsoll compare`. Throws like compare(stats) and
/// decide().
PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const std::unique_ptr<Strategy>> strategies,
                        const PhaseRequest& request = {},
                        support::Progress& progress = support::Progress::none());

/// Makes the strategies with make_strategies() and the work model of the request, and compares them.
PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const StrategySpec> strategies,
                        const PhaseRequest& request = {},
                        support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::balance
