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

namespace plimsoll::inline v0_1::balance {

/// A strategy as users ask for it, such as `RefineLB`, `RefineLB(tolerance=1.02,max_moves=100)` or
/// `./libFooLB.so(depth=3)`:
///
///     list     := strategy { "," strategy }
///     strategy := NAME [ "(" [ parameter "=" value { "," parameter "=" value } ] ")" ]
///
/// The same grammar as load models have. A value may have commas within brackets; blanks around names and
/// values do not count.
struct StrategySpec {
  std::string name;  ///< of a strategy, an alias, or the path of a plug-in
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< name and value, as given

  /// Throws Error (usage) for text that the grammar excludes. Whether the strategy exists is a question for
  /// make_strategy().
  static StrategySpec parse(std::string_view text);
  /// The same for several.
  static std::vector<StrategySpec> parse_list(std::string_view text);

  friend bool operator==(const StrategySpec&, const StrategySpec&) = default;
};

/// The text that StrategySpec::parse() reads as this spec.
std::string to_string(const StrategySpec& spec);

/// All strategies of a registry that run with their default parameters, by name.
std::vector<StrategySpec> all_strategies(const StrategyRegistry& registry = StrategyRegistry::builtin());

/// Makes a strategy; a plug-in is loaded. A strategy with a work model of its own (parameters alpha, beta,
/// gamma, delta, beta_node) gets the coefficients of `work` where the spec has none.
/// Throws Error (usage) for a parameter given twice, and as StrategyRegistry::resolve() and create().
std::unique_ptr<Strategy> make_strategy(const StrategySpec& spec,
                                        const std::optional<WorkCoefficients>& work = {},
                                        StrategyRegistry registry = StrategyRegistry::builtin());

/// Makes several, each with those of the `common` parameters that it has and its spec does not give.
/// Throws as make_strategy(), and Error (usage) for a common parameter that none of them has.
std::vector<std::unique_ptr<Strategy>> make_strategies(
    std::span<const StrategySpec> specs, const ParameterMap& common = {},
    const std::optional<WorkCoefficients>& work = {},
    StrategyRegistry registry = StrategyRegistry::builtin());

}  // namespace plimsoll::balance
