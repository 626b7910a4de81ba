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

namespace plimsoll::inline v0_1::balance {

/// Strategies side by side on one phase.
struct Comparison {
  Bound bound;                          ///< of every placement
  Quality start;                        ///< objects at from_proc
  std::vector<StrategyResult> results;  ///< of each strategy, in the order given
};

/// Runs each strategy on the same stats, one after the other. A strategy that throws Error is a result with a
/// failure; stats that are bad are an Error. stats.to_proc is as before afterwards.
Comparison compare(LDStats& stats, std::span<const std::unique_ptr<Strategy>> strategies,
                   const WorkCoefficients& coefficients = {},
                   support::Progress& progress = support::Progress::none());

/// A comparison and the phase that it is of.
struct PhaseComparison {
  DatasetPhase phase;  ///< as the strategies saw it
  Comparison comparison;
};

/// Compares strategies on a phase of a data set: what `plimsoll compare` does. What tasks say of memory is
/// read in any case, for the bytes that move. Throws as load_phase(dataset, request).
PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const std::unique_ptr<Strategy>> strategies,
                        const PhaseRequest& request = {},
                        support::Progress& progress = support::Progress::none());

/// The same for strategies that are made for this (make_strategies()), with the work model of the request.
PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const StrategySpec> strategies,
                        const PhaseRequest& request = {},
                        support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::balance
