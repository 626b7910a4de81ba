#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::balance {

/// Lets another strategy decide, with the parameters given and the defaults of the others, without limits.
template <typename Class>
void decide(LDStats& stats, const ParameterMap& given = {}) {
  const StrategyInfo info = Class::info();
  Class(Parameters(info.name, info.parameters, given)).work(stats);
}

}  // namespace plimsoll::balance
