#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/placement_summary.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::balance {

/// All that is told of a placement.
struct PlacementQuality {
  PlacementSummary summary;
  double off_rank_bytes = 0;
  std::int64_t off_rank_messages = 0;
  WorkSummary work;
};

/// O(objects + edges). Throws as summarise().
PlacementQuality assess(const LDStats& stats, std::span<const std::int32_t> placement,
                        const WorkCoefficients& coefficients = {});

/// Whether a placement is nowhere worse than another, and somewhere better: greatest time, greatest work,
/// off-rank bytes, objects and bytes moved. Differences below 1e-9 of the value are none.
bool dominates(const PlacementQuality& left, const PlacementQuality& right);

/// What a strategy makes of a phase.
struct StrategyResult {
  std::string strategy;
  Parameters parameters;
  std::string failure;  ///< why it decided nothing; what follows then says nothing
  PlacementQuality quality;
  double decision_s = 0;  ///< wall time of work()
  std::vector<Remark> remarks;
  bool non_dominated = false;  ///< neither another result nor the start dominates it
};

/// Runs a strategy; its decision is in stats.to_proc afterwards. Throws as Strategy::work().
StrategyResult run(Strategy& strategy, LDStats& stats, const WorkCoefficients& coefficients = {});

/// Strategies side by side on one phase.
struct Comparison {
  Bound bound;
  PlacementQuality start;  ///< objects at from_proc
  std::vector<StrategyResult> results;
};

/// Runs each strategy on the same stats, one after the other. A strategy that throws Error is a result with a
/// failure; stats that are bad are an Error. stats.to_proc is as before afterwards.
Comparison compare(LDStats& stats, std::span<const std::unique_ptr<Strategy>> strategies,
                   const WorkCoefficients& coefficients = {},
                   support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::balance
