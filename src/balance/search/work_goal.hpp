#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Objective and constraints of strategies that use the work model.
struct WorkGoal {
  WorkCoefficients coefficients;
  Limits limits;
  std::int64_t max_blocks = -1;  ///< maximum number of distinct shared blocks per rank; negative: unlimited

  /// Reads the parameters that parameters() lists and the parameters of Limits. Throws Error (usage) for a
  /// coefficient that is negative or not finite.
  WorkGoal(const std::string& owner, const Parameters& parameters);
  /// Returns `alpha`, `beta`, `beta_node`, `gamma` and `delta`.
  static const std::vector<ParameterSpec>& parameters();

  /// Returns (bytes of memory above the limits, maximum work).
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const;
  /// Returns whether each rank's work depends only on the sum of its objects' loads.
  bool is_load_only() const { return !coefficients.weigh_traffic() && coefficients.delta == 0; }
};

/// Returns the error for objects that have to leave unavailable ranks but fit on no other rank.
Error cannot_evacuate();

}  // namespace plimsoll::balance
