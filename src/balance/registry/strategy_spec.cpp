#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/registry/call_syntax.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

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
  std::vector<StrategySpec> specs;
  for (Call& call : parse_calls(text, list_syntax))
    specs.push_back({std::move(call.name), std::move(call.arguments)});
  return specs;
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
    ParameterMap parameters = parameter_map({spec.name, spec.parameters});
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
