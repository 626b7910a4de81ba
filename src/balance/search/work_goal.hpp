#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::balance {

/// What strategies minimise that know the work model, and what they must keep to.
struct WorkGoal {
  WorkCoefficients coefficients;
  Limits limits;
  std::int64_t max_blocks = -1;  ///< distinct shared blocks of a rank; negative: any number

  /// From the parameters that parameters() lists and those of Limits. Throws Error (usage) for a coefficient
  /// that is negative or not finite.
  WorkGoal(const std::string& owner, const Parameters& parameters);
  /// `alpha`, `beta`, `beta_node`, `gamma`, `delta`.
  static const std::vector<ParameterSpec>& parameters();

  /// (bytes of memory beyond the limits, greatest work).
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const;
  /// Whether all that a rank's work depends on is the sum of its objects' loads.
  bool is_load_only() const { return !coefficients.weigh_traffic() && coefficients.delta == 0; }
};

/// The error of objects that have to leave ranks that are not available, and have nowhere to go.
Error cannot_evacuate();

}  // namespace plimsoll::balance
