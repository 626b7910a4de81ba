#pragma once

#include <string>
#include <vector>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/phase_request.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/strategy_spec.hpp>

namespace plimsoll::inline v0_1::balance {

/// What a strategy makes of a phase.
struct StrategyResult {
  std::string strategy;         ///< its name
  Parameters parameters;        ///< all, with defaults
  std::string failure;          ///< why it decided nothing; what follows then says nothing
  Quality quality;              ///< of its placement
  double decision_s = 0;        ///< wall time of work()
  std::vector<Remark> remarks;  ///< what the strategy reports besides; may be empty
  bool non_dominated = false;   ///< in a comparison: neither another result nor the start dominates it
};

/// Runs a strategy; its decision is in stats.to_proc afterwards. Throws as Strategy::work().
StrategyResult run(Strategy& strategy, LDStats& stats, const WorkCoefficients& coefficients = {});

/// Where the objects of a phase go.
struct Decision {
  DatasetPhase phase;     ///< as the strategy saw it; its stats.to_proc is the new placement
  Bound bound;            ///< of every placement
  Quality before;         ///< of the phase as recorded
  StrategyResult result;  ///< of the strategy

  /// The rank of each object, for apply_placement().
  const std::vector<std::int32_t>& placement() const { return phase.stats.to_proc; }
};

/// Lets a strategy decide where the objects of a phase go: what `plimsoll balance` does. Throws as
/// load_phase(dataset, request) and Strategy::work().
Decision decide(const lbdata::Dataset& dataset, Strategy& strategy, const PhaseRequest& request = {});

/// The same for a strategy that is made for this (make_strategy()), with the work model of the request.
Decision decide(const lbdata::Dataset& dataset, const StrategySpec& strategy,
                const PhaseRequest& request = {});

}  // namespace plimsoll::balance
