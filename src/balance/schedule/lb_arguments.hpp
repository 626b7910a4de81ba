#pragma once

#include <string>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Throws Error (usage) if a strategy does not exist, or for an unknown parameter or a value of the wrong
/// type. Unlike check_lb_strategy(), does not make the strategy, so that it does not check the ranges of
/// values.
void check_lb_arguments(const std::string& strategy, const ParameterMap& arguments,
                        StrategyRegistry& registry);

}  // namespace plimsoll::balance
