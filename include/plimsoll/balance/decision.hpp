#pragma once

#include <string>
#include <vector>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/phase_request.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/strategy_spec.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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

/// Returns the remarks of a strategy that has run, and a remark if stats.to_proc misses its target.
std::vector<Remark> remarks_on(const Strategy& strategy, const LDStats& stats);

/// New placement of the objects of one phase.
struct Decision {
  DatasetPhase phase;     ///< phase as the strategy saw it; its stats.to_proc is the new placement
  Bound bound;            ///< lower bound for every placement
  Quality before;         ///< quality of the phase as recorded
  StrategyResult result;  ///< result of the strategy

  /// Returns the rank of each object, for apply_placement().
  const std::vector<std::int32_t>& placement() const { return phase.stats.to_proc; }
};

/// Computes a new placement for one phase with a strategy, like `plimsoll balance`. Throws like
/// load_phase(dataset, request) and Strategy::work().
Decision decide(const lbdata::Dataset& dataset, Strategy& strategy, const PhaseRequest& request = {});

/// Makes the strategy with make_strategy() and the work model of the request, and runs it.
Decision decide(const lbdata::Dataset& dataset, const StrategySpec& strategy,
                const PhaseRequest& request = {});

}  // namespace plimsoll::balance
