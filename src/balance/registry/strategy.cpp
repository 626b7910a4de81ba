#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/registry/call_syntax.hpp"
#include "balance/registry/foreign_strategies.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/memory_bound.hpp"
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

Remark above_limit(const char* what, std::int64_t count, const char* limit) {
  return {fmt::format("{}s_above_memory_limit", what), static_cast<double>(count),
          fmt::format("{} {} {} more memory than {}, because {} did so before balancing.", count,
                      count == 1 ? what : fmt::format("{}s", what), count == 1 ? "uses" : "use", limit,
                      count == 1 ? "it" : "they")};
}

// Relative difference of two lower bounds up to which they are equal.
constexpr double bound_error = 1e-9;

/// Returns remarks on the lower bound, if it is higher because of the limits, and on the ranks and nodes that
/// use more memory than the limits. They did so at from_proc, because apply_limits() permits no other excess.
std::vector<Remark> remarks_on(const Limits& limits, const LDStats& stats) {
  if (!limits.limit_memory() || stats.memory.empty()) return {};
  const MemoryUse use(stats, stats.to_proc, limits.count_serialized);
  std::int64_t n_ranks = 0;
  std::int64_t n_nodes = 0;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
    if (use.of_rank(rank) > limits.max_memory_bytes * (1 + rounding_error)) ++n_ranks;
    if (use.is_first_of_node(rank) && use.of_node(rank) > limits.max_node_memory_bytes * (1 + rounding_error))
      ++n_nodes;
  }
  std::vector<Remark> remarks;
  const double bound_s = max_work_lower_bound(stats, WorkGoal::of_time(limits));
  if (bound_s > lower_bound(stats).time_s * (1 + bound_error))
    remarks.push_back({"memory_bound_s", bound_s,
                       fmt::format("No placement within the memory limits has a maximum load below {}.",
                                   support::format_seconds(bound_s))});
  if (n_ranks > 0) remarks.push_back(above_limit("rank", n_ranks, "max_memory_bytes"));
  if (n_nodes > 0) remarks.push_back(above_limit("node", n_nodes, "max_node_memory_bytes"));
  return remarks;
}

/// Applies limits to the placement of another strategy (apply_limits()). If the limited placement is worse
/// than the initial placement, keeps the initial one, unless objects have to leave unavailable processors.
/// work() also throws like require_sizes(). If ranks or nodes exceed a limit on memory after work(), remarks
/// give their number as `ranks_above_memory_limit` and `nodes_above_memory_limit`.
class LimitedStrategy : public Strategy {
 public:
  LimitedStrategy(std::unique_ptr<Strategy> strategy, const Limits& limits)
      : Strategy(strategy->name(), strategy->parameters()), strategy_(std::move(strategy)), limits_(limits) {}
  void work(LDStats& stats) override {
    require_sizes(limits_, stats);
    std::vector<std::int32_t> before = stats.to_proc;
    strategy_->work(stats);
    std::vector<std::int32_t> placement = std::exchange(stats.to_proc, std::move(before));
    placement = apply_limits(limits_, stats, placement);
    const bool is_worse =
        !ProcArray(stats).must_evacuate() && score(stats, placement) > score(stats, stats.from_proc);
    stats.to_proc = is_worse ? stats.from_proc : std::move(placement);
    limit_remarks_ = remarks_on(limits_, stats);
  }

  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return strategy_->score(stats, placement);
  }

  bool minimises_score() const override { return strategy_->minimises_score(); }
  std::vector<Remark> remarks() const override {
    std::vector<Remark> remarks = strategy_->remarks();
    remarks.insert(remarks.end(), limit_remarks_.begin(), limit_remarks_.end());
    return remarks;
  }

  double target() const override { return strategy_->target(); }

 private:
  std::unique_ptr<Strategy> strategy_;
  Limits limits_;
  std::vector<Remark> limit_remarks_;
};

}  // namespace

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
