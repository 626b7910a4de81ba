#include "balance/search/work_goal.hpp"

#include <algorithm>
#include <cmath>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

double coefficient(const std::string& owner, const Parameters& parameters, const std::string& name) {
  const auto value = parameters.get<double>(name);
  if (!(std::isfinite(value) && value >= 0)) throw invalid_parameter(owner, name, value, "use a number >= 0");
  return value;
}

}  // namespace

const std::vector<ParameterSpec>& WorkGoal::parameters() {
  static const std::vector<ParameterSpec> parameters = {
      {"alpha", 1.0, "work per second of load (multiplied by the rank's rank_alpha)"},
      {"beta", 0.0, "work per byte of max(sent, received) to and from other ranks"},
      {"beta_node", -1.0, "work per byte between ranks of the same node (-1: use beta)"},
      {"gamma", 0.0, "constant work per rank"},
      {"delta", 0.0, "work per off-home shared-block byte"}};
  return parameters;
}

WorkGoal::WorkGoal(const std::string& owner, const Parameters& parameters)
    : coefficients{.alpha = coefficient(owner, parameters, "alpha"),
                   .beta = coefficient(owner, parameters, "beta"),
                   .gamma = coefficient(owner, parameters, "gamma"),
                   .delta = coefficient(owner, parameters, "delta")},
      limits(parameters) {
  if (parameters.get<double>("beta_node") != -1)
    coefficients.beta_node = coefficient(owner, parameters, "beta_node");
}

Score WorkGoal::score(const LDStats& stats, std::span<const std::int32_t> placement) const {
  const WorkSummary summary = WorkModel(stats, coefficients, limits).evaluate(placement);
  if (summary.within_memory) return {0, summary.max};
  return {limits.memory_excess(MemoryUse(stats, placement, limits.count_serialized), stats.count()),
          summary.max};
}

Error cannot_evacuate() {
  return support::usage_error(
      "objects on unavailable processors must migrate, but no placement within the limits was found",
      "set a higher max_moves, max_moved_bytes or max_memory_bytes");
}

}  // namespace plimsoll::balance
