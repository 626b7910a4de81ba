#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/decision.hpp>
#include <plimsoll/documents/description.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// Loads that a placement is based on.
struct LoadSource {
  std::string field;  ///< field that was used as load; empty: recorded loads
  std::string model;  ///< load model that predicts the loads
};

/// New placement of a phase, as `plimsoll balance` computes it.
struct BalanceInfo {
  const balance::Decision& decision;
  LoadSource loads;
  std::vector<balance::LaterPhase> later;
  std::string output;  ///< directory that was written; empty: none
  /// Phase at whose end a program that follows the written plan migrates; empty: the output is not a plan.
  std::optional<std::int64_t> migrate_after = {};
};

/// Comparison of strategies on a phase, as `plimsoll compare` computes it.
struct ComparisonInfo {
  const balance::PhaseComparison& comparison;
  LoadSource loads;
  bool with_rank_loads = false;  ///< whether to list the load of each rank under each placement
};

}  // namespace plimsoll::documents
