#pragma once

#include <memory>
#include <span>
#include <vector>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/phase_request.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Results of several strategies on one phase.
struct Comparison {
  Bound bound;                          ///< lower bound for every placement
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
/// load_phase(dataset, request).
PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const std::unique_ptr<Strategy>> strategies,
                        const PhaseRequest& request = {},
                        support::Progress& progress = support::Progress::none());

/// Makes the strategies with make_strategies() and the work model of the request, and compares them.
PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const StrategySpec> strategies,
                        const PhaseRequest& request = {},
                        support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::balance
