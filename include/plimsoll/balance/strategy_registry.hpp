#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Alternative name of a strategy, with its preset parameters.
struct StrategyAlias {
  std::string name;
  ParameterMap parameters = {};  ///< presets, which user settings override
};

/// Description of a strategy for user interfaces.
struct StrategyInfo {
  std::string name;                       ///< name, such as "GreedyLB"
  std::string help;                       ///< help text, one line
  std::vector<ParameterSpec> parameters;  ///< parameters; registration adds the Limits
  /// Makes a strategy. Throws Error (usage) for a value out of range.
  std::function<std::unique_ptr<Strategy>(const Parameters&)> make;
  StrategyNeeds needs = {};                 ///< columns that it needs in addition to loads
  std::vector<StrategyAlias> aliases = {};  ///< names that users of Charm++ or vt know
  bool needs_parameters = false;            ///< whether `make` throws Error without user settings
};

/// Returns a StrategyInfo::make for a class with a constructor from Parameters.
template <typename Class>
std::unique_ptr<Strategy> make_strategy(const Parameters& parameters) {
  return std::make_unique<Class>(parameters);
}

/// Registry of strategies by name.
class StrategyRegistry {
 public:
  /// Returns the strategies that come with Plimsoll: an explicit table, which a linker cannot drop. Copy it
  /// to add others.
  static const StrategyRegistry& builtin();

  /// Adds a strategy and appends the parameters of Limits to its parameters. Throws Error (usage) for a
  /// duplicate name or alias.
  void add(StrategyInfo info);
  /// Returns the registered name for a user's input. A name is returned unchanged. For the path of a plug-in
  /// (with a '/' or the suffix ".so"), returns the name of the plug-in's strategy. The first call for this
  /// path loads and adds the plug-in. Throws like load_strategy_plugin() and add().
  std::string resolve(const std::string& name_or_path);
  /// Returns all strategies, sorted by name.
  const std::vector<StrategyInfo>& list() const { return infos_; }
  /// Returns the description of a strategy by its name or an alias. Throws Error (usage) for an unknown name,
  /// with the available names.
  const StrategyInfo& info(const std::string& name) const;
  /// Makes a strategy with the given parameters, and defaults for the others; the presets of an alias are
  /// defaults too. If the strategy has limits, its placement satisfies them (apply_limits()). If the limited
  /// placement scores worse than from_proc, the result is from_proc. Throws Error (usage) for an unknown name
  /// or parameter, or a value of the wrong type or out of range.
  std::unique_ptr<Strategy> create(const std::string& name, const ParameterMap& parameters = {}) const;

 private:
  std::vector<StrategyInfo> infos_;
  std::map<std::string, std::string> plugins_;  // strategy name by path
};

}  // namespace plimsoll::balance
