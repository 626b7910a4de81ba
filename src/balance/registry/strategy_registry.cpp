#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/limits/limited_strategy.hpp"
#include "balance/registry/foreign_strategies.hpp"
#include "balance/strategies/block_lb/block_lb.hpp"
#include "balance/strategies/cluster_lb/cluster_lb.hpp"
#include "balance/strategies/comm_aware_refine_lb/comm_aware_refine_lb.hpp"
#include "balance/strategies/graph_part_lb/graph_part_lb.hpp"
#include "balance/strategies/greedy_lb/greedy_lb.hpp"
#include "balance/strategies/greedy_refine_lb/greedy_refine_lb.hpp"
#include "balance/strategies/hierarchical_lb/hierarchical_lb.hpp"
#include "balance/strategies/no_lb/no_lb.hpp"
#include "balance/strategies/optimal_lb/optimal_lb.hpp"
#include "balance/strategies/orb_lb/orb_lb.hpp"
#include "balance/strategies/prescribed_lb/prescribed_lb.hpp"
#include "balance/strategies/random_lb/random_lb.hpp"
#include "balance/strategies/rec_bipart_lb/rec_bipart_lb.hpp"
#include "balance/strategies/refine_lb/refine_lb.hpp"
#include "balance/strategies/refine_swap_lb/refine_swap_lb.hpp"
#include "balance/strategies/rotate_lb/rotate_lb.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

const StrategyRegistry& StrategyRegistry::builtin() {
  static const StrategyRegistry builtin = [] {
    StrategyRegistry registry;
    for (StrategyInfo& info :
         std::vector{BlockLB::info(), ClusterLB::info(), CommAwareRefineLB::info(), GraphPartLB::info(),
                     GreedyLB::info(), GreedyRefineLB::info(), HierarchicalLB::info(), NoLB::info(),
                     OptimalLB::info(), OrbLB::info(), PrescribedLB::info(), RandomLB::info(),
                     RecBipartLB::info(), RefineLB::info(), RefineSwapLB::info(), RotateLB::info()})
      registry.add(std::move(info));
    return registry;
  }();
  return builtin;
}

namespace {

bool answers_to(const StrategyInfo& info, const std::string& name) {
  return info.name == name || std::ranges::count(info.aliases, name, &StrategyAlias::name) > 0;
}

}  // namespace

void StrategyRegistry::add(StrategyInfo info) {
  std::vector<std::string> names = {info.name};
  for (const StrategyAlias& alias : info.aliases) names.push_back(alias.name);
  for (const std::string& name : names)
    for (const StrategyInfo& other : infos_)
      if (answers_to(other, name))
        throw support::usage_error(fmt::format("strategy {} already exists", support::in_quotes(name)),
                                   "rename the new strategy");
  for (const ParameterSpec& limit : Limits::parameters())
    if (std::ranges::count(info.parameters, limit.name, &ParameterSpec::name) == 0)
      info.parameters.push_back(limit);
  infos_.insert(std::ranges::lower_bound(infos_, info.name, {}, &StrategyInfo::name), std::move(info));
}

std::string StrategyRegistry::resolve(const std::string& name_or_path) {
  if (name_or_path.find('/') == std::string::npos && !name_or_path.ends_with(".so")) return name_or_path;
  std::error_code no_path;  // load_strategy_plugin() reports the error
  const std::string path = std::filesystem::weakly_canonical(name_or_path, no_path).string();
  if (const auto known = plugins_.find(path); known != plugins_.end()) return known->second;
  const StrategyInfo plugin = load_strategy_plugin(name_or_path);
  add(plugin);
  plugins_[path] = plugin.name;
  return plugin.name;
}

const StrategyInfo& StrategyRegistry::info(const std::string& name) const {
  const auto found =
      std::ranges::find_if(infos_, [&](const StrategyInfo& info) { return answers_to(info, name); });
  if (found != infos_.end()) return *found;
  if (const ForeignStrategy* foreign = find_foreign_strategy(name))
    throw support::usage_error(
        fmt::format("unknown strategy {}, a strategy of {}", support::in_quotes(name), foreign->tool),
        std::string(foreign->hint));
  std::vector<std::string> names;
  for (const StrategyInfo& info : infos_) names.push_back(info.name);
  throw support::unknown_name("strategy", name, names);
}

std::unique_ptr<Strategy> StrategyRegistry::create(const std::string& name,
                                                   const ParameterMap& parameters) const {
  const StrategyInfo& strategy = info(name);
  ParameterMap given = parameters;
  for (const StrategyAlias& alias : strategy.aliases)
    if (alias.name == name) given.insert(alias.parameters.begin(), alias.parameters.end());
  const Parameters values(strategy.name, strategy.parameters, given);
  const Limits limits(values);
  std::unique_ptr<Strategy> made = strategy.make(values);
  if (limits.any()) made = std::make_unique<LimitedStrategy>(std::move(made), limits);
  made->needs_ = strategy.needs;
  made->needs_.memory = made->needs_.memory || limits.need_memory();
  return made;
}

}  // namespace plimsoll::balance
