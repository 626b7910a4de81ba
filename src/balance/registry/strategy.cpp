#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/limits/limited_strategy.hpp"
#include "balance/registry/call_syntax.hpp"
#include "balance/registry/foreign_strategies.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

Score Strategy::score(const LDStats& /*stats*/, std::span<const std::int32_t> /*placement*/) const {
  return {};
}

const StrategyRegistry& StrategyRegistry::builtin() {
  static const StrategyRegistry builtin = [] {
    StrategyRegistry registry;
    for (StrategyInfo& info :
         std::vector{block_lb_info(), cluster_lb_info(), comm_aware_refine_lb_info(), graph_part_lb_info(),
                     greedy_lb_info(), greedy_refine_lb_info(), hierarchical_lb_info(), no_lb_info(),
                     optimal_lb_info(), orb_lb_info(), prescribed_lb_info(), random_lb_info(),
                     rec_bipart_lb_info(), refine_lb_info(), refine_swap_lb_info(), rotate_lb_info()})
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

namespace {

constexpr CallSyntax list_syntax = {"strategy", ',',
                                    "use a form such as RefineLB or 'RefineLB(tolerance=1.02)'"};

bool has_parameter(const StrategyInfo& info, const std::string& name) {
  return std::ranges::any_of(info.parameters, [&](const ParameterSpec& parameter) {
    return parameter.name == name || std::ranges::count(parameter.aliases, name) > 0;
  });
}

/// Returns the coefficients as parameters of strategies.
ParameterMap work_parameters(const WorkCoefficients& work) {
  ParameterMap parameters = {{"alpha", fmt::format("{}", work.alpha)},
                             {"beta", fmt::format("{}", work.beta)},
                             {"gamma", fmt::format("{}", work.gamma)},
                             {"delta", fmt::format("{}", work.delta)}};
  if (work.beta_node) parameters.emplace("beta_node", fmt::format("{}", *work.beta_node));
  return parameters;
}

}  // namespace

StrategySpec StrategySpec::parse(std::string_view text) {
  std::vector<StrategySpec> specs = parse_list(text);
  if (specs.size() > 1)
    throw support::usage_error(
        fmt::format("expected one strategy, found {}: {}", specs.size(), support::in_quotes(text)),
        list_syntax.example);
  return std::move(specs.front());
}

std::vector<StrategySpec> StrategySpec::parse_list(std::string_view text) {
  return parse_calls(text, list_syntax);
}

std::string to_string(const StrategySpec& spec) {
  if (spec.parameters.empty()) return spec.name;
  std::string parameters;
  for (const auto& [name, value] : spec.parameters)
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ",", name, value);
  return fmt::format("{}({})", spec.name, parameters);
}

std::vector<StrategySpec> all_strategies(const StrategyRegistry& registry) {
  std::vector<StrategySpec> specs;
  for (const StrategyInfo& info : registry.list())
    if (!info.needs_parameters) specs.push_back({info.name});
  return specs;
}

std::unique_ptr<Strategy> make_strategy(const StrategySpec& spec, const std::optional<WorkCoefficients>& work,
                                        StrategyRegistry registry) {
  return std::move(make_strategies(std::span(&spec, 1), {}, work, std::move(registry)).front());
}

std::vector<std::unique_ptr<Strategy>> make_strategies(std::span<const StrategySpec> specs,
                                                       const ParameterMap& common,
                                                       const std::optional<WorkCoefficients>& work,
                                                       StrategyRegistry registry) {
  ParameterMap unused = common;
  std::vector<std::unique_ptr<Strategy>> strategies;
  for (const StrategySpec& spec : specs) {
    const std::string name = registry.resolve(spec.name);
    const StrategyInfo& info = registry.info(name);
    ParameterMap parameters = parameter_map(spec);
    for (const auto& parameter : common) {
      if (!has_parameter(info, parameter.first)) continue;
      parameters.insert(parameter);
      unused.erase(parameter.first);
    }
    if (work)
      for (const auto& parameter : work_parameters(*work))
        if (std::ranges::count(info.parameters, parameter.first, &ParameterSpec::name) > 0)
          parameters.insert(parameter);
    strategies.push_back(registry.create(name, parameters));
  }
  if (!unused.empty())
    throw support::usage_error(fmt::format("unknown parameter {}: not accepted by any selected strategy",
                                           support::in_quotes(unused.begin()->first)),
                               "check the parameters of each strategy");
  return strategies;
}

}  // namespace plimsoll::balance
