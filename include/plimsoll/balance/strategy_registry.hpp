#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::inline v0_1::balance {

/// Another name of a strategy, and the parameters that it stands for.
struct StrategyAlias {
  std::string name;
  ParameterMap parameters = {};  ///< set unless users set them
};

/// What a strategy says of itself: all that a user interface needs.
struct StrategyInfo {
  std::string name;                       ///< such as "GreedyLB"
  std::string help;                       ///< one line
  std::vector<ParameterSpec> parameters;  ///< those of Limits are added when it is registered
  /// Makes one. Throws Error (usage) for a value out of range.
  std::function<std::unique_ptr<Strategy>(const Parameters&)> make;
  StrategyNeeds needs = {};                 ///< beyond loads and edges
  std::vector<StrategyAlias> aliases = {};  ///< names that users of Charm++ or vt know
  bool needs_parameters = false;            ///< the defaults alone are an Error
};

/// A StrategyInfo::make for a class with a constructor from Parameters.
template <typename Class>
std::unique_ptr<Strategy> make_strategy(const Parameters& parameters) {
  return std::make_unique<Class>(parameters);
}

/// Strategies by name.
class StrategyRegistry {
 public:
  /// The strategies that come with Plimsoll: an explicit table, which a linker can't drop.
  /// Copy it to add others.
  static const StrategyRegistry& builtin();

  /// Adds a strategy, with the parameters of Limits after its own.
  /// Throws Error (usage) if there is one of that name, or if one of its aliases is taken.
  void add(StrategyInfo info);
  /// The name under which the strategy that a user asks for is here: what was given, or, if that is the path
  /// of a plug-in (it has a '/' or ends in ".so"), the name of its strategy, which is loaded and added the
  /// first time. Throws Error: see load_strategy_plugin() and add().
  std::string resolve(const std::string& name_or_path);
  /// All, by name.
  const std::vector<StrategyInfo>& list() const { return infos_; }
  /// Of a strategy by its name or an alias.
  /// Throws Error (usage) for a name that there isn't, with what there is.
  const StrategyInfo& info(const std::string& name) const;
  /// Makes a strategy with the parameters given and the defaults of the others; an alias's parameters are
  /// defaults too. If it has limits, its decision is within them (apply_limits()), and from_proc if what the
  /// limits leave of it scores worse than that.
  /// Throws Error (usage) for an unknown name or parameter, or a value of the wrong type or out of range.
  std::unique_ptr<Strategy> create(const std::string& name, const ParameterMap& parameters = {}) const;

 private:
  std::vector<StrategyInfo> infos_;
  std::map<std::string, std::string> plugins_;  // name of its strategy by path
};

}  // namespace plimsoll::balance
