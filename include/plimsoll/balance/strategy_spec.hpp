#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Strategy as specified by users, such as `RefineLB`, `RefineLB(tolerance=1.02,max_moves=100)` or
/// `./libFooLB.so(depth=3)`:
///
///     list     := strategy { "," strategy }
///     strategy := NAME [ "(" [ parameter "=" value { "," parameter "=" value } ] ")" ]
///
/// Load models have the same grammar. A value may contain commas within brackets. Spaces around names and
/// values are ignored.
struct StrategySpec {
  std::string name;  ///< name of a strategy, an alias, or the path of a plug-in
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< names and values as given

  /// Parses a specification. Throws Error (usage) if the text violates the grammar. Does not check whether
  /// the strategy exists; make_strategy() does.
  static StrategySpec parse(std::string_view text);
  /// Parses a list of specifications.
  static std::vector<StrategySpec> parse_list(std::string_view text);

  friend bool operator==(const StrategySpec&, const StrategySpec&) = default;
};

/// Formats a specification as text that StrategySpec::parse() reads as the same specification.
std::string to_string(const StrategySpec& spec);

/// Returns all strategies of a registry that run with their default parameters, sorted by name.
std::vector<StrategySpec> all_strategies(const StrategyRegistry& registry = StrategyRegistry::builtin());

/// Makes a strategy, and loads it if it is a plug-in. A strategy with its own work model (parameters alpha,
/// beta, gamma, delta, beta_node) gets the coefficients of `work` that the specification does not set. Throws
/// Error (usage) for a duplicate parameter. Throws like StrategyRegistry::resolve() and create().
std::unique_ptr<Strategy> make_strategy(const StrategySpec& spec,
                                        const std::optional<WorkCoefficients>& work = {},
                                        StrategyRegistry registry = StrategyRegistry::builtin());

/// Makes several strategies. Each strategy gets the `common` parameters that it has and that its
/// specification does not set. Throws like make_strategy(). Throws Error (usage) for a common parameter that
/// none of the strategies has.
std::vector<std::unique_ptr<Strategy>> make_strategies(
    std::span<const StrategySpec> specs, const ParameterMap& common = {},
    const std::optional<WorkCoefficients>& work = {},
    StrategyRegistry registry = StrategyRegistry::builtin());

}  // namespace plimsoll::balance
