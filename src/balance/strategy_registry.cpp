#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/strategies/greedy_lb/greedy_lb.hpp"
#include "balance/strategies/no_lb/no_lb.hpp"
#include "balance/strategies/random_lb/random_lb.hpp"
#include "balance/strategies/refine_lb/refine_lb.hpp"
#include "balance/strategies/rotate_lb/rotate_lb.hpp"

namespace plimsoll::balance {

const StrategyRegistry& StrategyRegistry::builtin() {
  static const StrategyRegistry builtin = [] {
    StrategyRegistry registry;
    for (StrategyInfo& info :
         std::vector{GreedyLB::info(), NoLB::info(), RandomLB::info(), RefineLB::info(), RotateLB::info()})
      registry.add(std::move(info));
    return registry;
  }();
  return builtin;
}

void StrategyRegistry::add(StrategyInfo info) {
  const auto position = std::ranges::lower_bound(infos_, info.name, {}, &StrategyInfo::name);
  if (position != infos_.end() && position->name == info.name)
    throw support::usage_error(fmt::format("there is a strategy \"{}\" already", info.name));
  infos_.insert(position, std::move(info));
}

const StrategyInfo& StrategyRegistry::info(const std::string& name) const {
  const auto found = std::ranges::find(infos_, name, &StrategyInfo::name);
  if (found != infos_.end()) return *found;
  std::vector<std::string> names;
  for (const StrategyInfo& info : infos_) names.push_back(info.name);
  const std::string meant = support::nearest(name, names);
  throw support::usage_error(
      fmt::format("there is no strategy \"{}\"", name),
      fmt::format("{}there are {}", meant.empty() ? "" : fmt::format("did you mean \"{}\"? ", meant),
                  fmt::join(names, ", ")));
}

std::unique_ptr<Strategy> StrategyRegistry::create(const std::string& name,
                                                   const ParameterMap& parameters) const {
  const StrategyInfo& strategy = info(name);
  return strategy.make(Parameters(strategy.name, strategy.parameters, parameters));
}

}  // namespace plimsoll::balance
