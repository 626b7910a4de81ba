#include "balance/schedule/lb_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/registry/call_syntax.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::array online_strategies = {offline_lb, test_serialization_lb};

bool is_online(const std::string& name) {
  return std::ranges::find(online_strategies, name) != online_strategies.end();
}

std::string help_of(const StrategyInfo& strategy) {
  return fmt::format("{}: {}\n{}", strategy.name, strategy.help, parameter_table(strategy.parameters));
}

}  // namespace

void check_lb_arguments(const std::string& strategy, const ParameterMap& arguments,
                        StrategyRegistry& registry) {
  if (is_online(strategy)) {
    Parameters(strategy, {}, arguments);
  } else {
    const StrategyInfo& info = registry.info(registry.resolve(strategy));
    Parameters(info.name, info.parameters, arguments);
  }
}

void check_lb_strategy(const StrategySpec& strategy, StrategyRegistry& registry) {
  const ParameterMap parameters = parameter_map({strategy.name, strategy.parameters});
  check_lb_arguments(strategy.name, parameters, registry);
  if (!is_online(strategy.name)) registry.create(registry.resolve(strategy.name), parameters);
}

std::vector<std::pair<std::string, std::string>> parse_lb_arguments(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> arguments;
  for (std::string_view word = support::take_word(text); !word.empty(); word = support::take_word(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw support::usage_error(
          fmt::format("invalid strategy argument {}: expected KEY=VALUE", support::in_quotes(word, 40)),
          "use a form such as \"min=0.9 auto=false\", without spaces around =");
    std::string key(word.substr(0, equals));
    if (std::ranges::any_of(arguments, [&](const auto& other) { return other.first == key; }))
      throw support::usage_error(fmt::format("duplicate strategy argument {}", support::in_quotes(key, 40)),
                                 "set it once");
    arguments.emplace_back(std::move(key), word.substr(equals + 1));
  }
  return arguments;
}

std::string lb_arguments_help(const std::string& name, const StrategyRegistry& registry) {
  if (is_online(name)) return fmt::format("{} has no parameters\n", name);
  if (!name.empty() && name != "NoLB") return help_of(registry.info(name));
  std::string text;
  for (const StrategyInfo& strategy : registry.list()) text += (text.empty() ? "" : "\n") + help_of(strategy);
  return text;
}

}  // namespace plimsoll::balance
