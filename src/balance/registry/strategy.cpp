#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/registry/call_syntax.hpp"
#include "balance/registry/foreign_strategies.hpp"
#include "balance/registry/limited_strategy.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

Score Strategy::score(const LDStats& stats, std::span<const std::int32_t> placement) const {
  return score_of(score_terms(), stats, placement);
}

const StrategyRegistry& StrategyRegistry::builtin() {
  static const StrategyRegistry builtin = [] {
    StrategyRegistry registry;
    for (StrategyInfo& info : std::vector{block_lb_info(),
                                          cluster_lb_info(),
                                          comm_aware_refine_lb_info(),
                                          diffusion_lb_info(),
                                          distributed_orb_lb_info(),
                                          graph_part_lb_info(),
                                          greedy_lb_info(),
                                          greedy_refine_lb_info(),
                                          hierarchical_lb_info(),
                                          no_lb_info(),
                                          optimal_lb_info(),
                                          orb_lb_info(),
                                          prescribed_lb_info(),
                                          random_lb_info(),
                                          rec_bipart_lb_info(),
                                          refine_lb_info(),
                                          refine_swap_lb_info(),
                                          rotate_lb_info(),
                                          space_filling_curve_lb_info(),
                                          tempered_lb_info()})
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
  // Names of other tools match in any case.
  const auto foreign = std::ranges::find_if(foreign_strategies(), [&](const ForeignStrategy& strategy) {
    return ::strcasecmp(strategy.name.data(), name.c_str()) == 0;
  });
  if (foreign != foreign_strategies().end())
    throw support::usage_error(
        fmt::format("unknown strategy {}, a strategy of {}", support::in_quotes(name), foreign->tool),
        std::string(foreign->hint));
  std::vector<std::string> names;
  for (const StrategyInfo& info : infos_) names.push_back(info.name);
  throw support::unknown_name("strategy", name, names);
}

namespace {

/// Removes the settings of a parameter, under all its names.
void remove_parameter(ParameterMap& given, const ParameterSpec& parameter) {
  given.erase(parameter.name);
  for (const std::string& alias : parameter.aliases) given.erase(alias);
}

/// Returns the strategy with each value of its trade-off, which find placements with fewer migrations. Omits
/// values that other parameters exclude.
std::vector<std::unique_ptr<Strategy>> alternatives_of(const StrategyInfo& strategy,
                                                       const ParameterMap& given) {
  std::vector<std::unique_ptr<Strategy>> alternatives;
  const auto parameter =
      std::ranges::find(strategy.parameters, strategy.trade_off.parameter, &ParameterSpec::name);
  if (parameter == strategy.parameters.end()) return alternatives;
  ParameterMap changed = given;
  remove_parameter(changed, *parameter);
  for (const std::string& value : strategy.trade_off.values) {
    changed[parameter->name] = value;
    try {
      alternatives.push_back(strategy.make(Parameters(strategy.name, strategy.parameters, changed)));
    } catch (const support::Error&) {
      continue;
    }
  }
  return alternatives;
}

}  // namespace

std::unique_ptr<Strategy> StrategyRegistry::create(const std::string& name,
                                                   const ParameterMap& parameters) const {
  const StrategyInfo& strategy = info(name);
  ParameterMap given = parameters;
  for (const StrategyAlias& alias : strategy.aliases)
    if (alias.name == name) given.insert(alias.parameters.begin(), alias.parameters.end());
  const Parameters values(strategy.name, strategy.parameters, given);
  const Limits limits(values);
  const StrategyNeeds needs = strategy.needs_of ? strategy.needs_of(values) : strategy.needs;
  std::unique_ptr<Strategy> made = strategy.make(values);
  // Strategies in rounds take needless migrations back themselves, with the same result on any executor.
  const bool keeps_moves = strategy.keeps_shape || distributed_part(*made) != nullptr;
  if (limits.any() || made->minimises_score()) {
    std::vector<std::unique_ptr<Strategy>> alternatives;
    if (limits.limit_moves() && !strategy.searches_within_limits) {
      for (const ParameterSpec& limit : Limits::move_parameters()) remove_parameter(given, limit);
      made = strategy.make(Parameters(strategy.name, strategy.parameters, given));
      alternatives = alternatives_of(strategy, given);
      for (const std::unique_ptr<Strategy>& alternative : alternatives) alternative->needs_ = needs;
    }
    made->needs_ = needs;
    made = std::make_unique<LimitedStrategy>(std::move(made), values, limits, std::move(alternatives),
                                             keeps_moves);
  }
  made->needs_ = needs;
  made->needs_.more_loads = made->score_terms().all_loads;
  made->needs_.memory = made->needs_.memory || limits.need_memory();
  return made;
}

namespace {

Error malformed(std::string_view text, const CallSyntax& syntax, const std::string& why) {
  return support::usage_error(fmt::format("invalid {} {}: {}", syntax.kind, support::in_quotes(text), why),
                              syntax.example);
}

/// Splits a text at separators outside brackets and trims the parts. Throws Error for brackets that do not
/// match.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator,
                                                     const CallSyntax& syntax) {
  std::vector<std::string_view> parts;
  std::string closing;  // expected closing brackets
  std::size_t begin = 0;
  for (std::size_t position = 0; position < text.size(); ++position) {
    const char letter = text[position];
    if (letter == '(') closing += ')';
    if (letter == '[') closing += ']';
    if (letter == ')' || letter == ']') {
      if (closing.empty() || closing.back() != letter)
        throw malformed(text, syntax, fmt::format("unmatched '{}'", letter));
      closing.pop_back();
    }
    if (letter != separator || !closing.empty()) continue;
    parts.push_back(support::trimmed(text.substr(begin, position - begin)));
    begin = position + 1;
  }
  if (!closing.empty()) throw malformed(text, syntax, fmt::format("missing '{}'", closing.back()));
  parts.push_back(support::trimmed(text.substr(begin)));
  return parts;
}

Call parse_call(std::string_view text, const CallSyntax& syntax) {
  const std::size_t bracket = text.find('(');
  Call call{.name = std::string(support::trimmed(text.substr(0, bracket)))};
  if (bracket == std::string_view::npos) return call;
  if (text.back() != ')')
    throw malformed(text, syntax, fmt::format("missing '{}' after ')'", syntax.separator));
  const std::string_view inside = support::trimmed(text.substr(bracket + 1, text.size() - bracket - 2));
  if (inside.empty()) return call;
  for (const std::string_view argument : split_outside_brackets(inside, ',', syntax)) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw malformed(text, syntax,
                      fmt::format("expected name=value, found {}", support::in_quotes(argument)));
    call.parameters.emplace_back(support::trimmed(argument.substr(0, equals)),
                                 support::trimmed(argument.substr(equals + 1)));
  }
  return call;
}

}  // namespace

std::vector<Call> parse_calls(std::string_view text, const CallSyntax& syntax) {
  std::vector<Call> calls;
  for (const std::string_view part : split_outside_brackets(text, syntax.separator, syntax))
    calls.push_back(parse_call(part, syntax));
  return calls;
}

ParameterMap parameter_map(const Call& call) {
  ParameterMap parameters;
  for (const auto& [name, value] : call.parameters)
    if (!parameters.emplace(name, value).second)
      throw support::usage_error(
          fmt::format("duplicate parameter {} of {}", support::in_quotes(name), call.name), "set it once");
  return parameters;
}

namespace {

constexpr CallSyntax list_syntax = {"strategy", ',',
                                    "use a form such as RefineLB or 'RefineLB(tolerance=1.02)'"};

bool has_parameter(const StrategyInfo& info, const std::string& name) {
  return std::ranges::any_of(info.parameters, [&](const ParameterSpec& parameter) {
    return parameter.name == name || std::ranges::count(parameter.aliases, name) > 0;
  });
}

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
