#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Additional information from a strategy about its new placement.
struct Remark {
  std::string key;   ///< meaning of `value`, such as "proven_bound"
  double value = 0;  ///< value in the unit that the key implies
  std::string text;  ///< sentence for users
};

/// Columns of LDStats that a strategy needs in addition to loads. In a running program, only these columns
/// are sent to the rank that decides.
struct StrategyNeeds {
  bool memory = false;        ///< whether it reads LDStats::memory and blocks
  bool positions = false;     ///< whether it needs LDStats::positions
  bool communication = true;  ///< whether it reads LDStats::comm_data
  bool numbers = true;        ///< whether it reads LDStats::numbers
  bool subphases = false;     ///< whether it reads LDStats::subphases, if the ranks synchronise after each
  bool more_loads = false;    ///< whether it balances LDStats::more_loads
};

/// Strategy: computes a new placement of objects.
///
/// Every strategy of Plimsoll except NoLB keeps non-migratable objects in place and counts them as background
/// load. It places objects on available processors only, and migrates objects away from unavailable
/// processors. A processor finishes at bg_walltime + load / pe_speed. The same stats and parameters give the
/// same placement.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Computes the new placement. Reads everything except `to_proc`, and writes only `to_proc`. Throws Error
  /// (bad_input) for invalid stats (see ProcArray), and Error (usage) if no processor is available for
  /// migratable objects; `to_proc` is then unchanged.
  virtual void work(LDStats& stats) = 0;

  /// Returns the value that work() minimises. The placement that work() computes never scores worse than
  /// from_proc, unless objects had to leave a processor. The base class returns score_of(score_terms()),
  /// which is 0 for strategies that minimise nothing.
  virtual Score score(const LDStats& stats, std::span<const std::int32_t> placement) const;

  /// Returns the terms of score(). A strategy whose score has other terms overrides score() too, and returns
  /// ScoreTerms::Kind::own here.
  virtual ScoreTerms score_terms() const { return {}; }

  /// Returns whether work() minimises score(). If not, as in RotateLB, a running program follows every
  /// decision, whether or not it pays.
  virtual bool minimises_score() const { return true; }

  /// Returns the remarks of the last work().
  virtual std::vector<Remark> remarks() const { return {}; }

  /// Returns the maximum load, relative to the average, that the last work() aimed at; 0 if the strategy has
  /// no target. run() adds a remark if the placement misses it, also because of limits. A strategy with
  /// ScoreTerms::Kind::communication need not override this: the registry adds the target of its score.
  virtual double target() const { return 0; }

  const std::string& name() const { return name_; }
  const Parameters& parameters() const { return parameters_; }
  /// Returns the columns that the strategy and its limits need. The registry that made the strategy sets
  /// them; StrategyNeeds::more_loads follows from score_terms().
  const StrategyNeeds& needs() const { return needs_; }

 protected:
  Strategy(std::string name, Parameters parameters)
      : name_(std::move(name)), parameters_(std::move(parameters)) {}

 private:
  std::string name_;
  Parameters parameters_;
  StrategyNeeds needs_;
  friend class StrategyRegistry;  // sets needs_
};

/// Alternative name of a strategy, with its preset parameters.
struct StrategyAlias {
  std::string name;
  ParameterMap parameters = {};  ///< presets, which user settings override
};

/// Parameter that trades the score for fewer migrations, such as a tolerance. If migrations are limited, the
/// strategy runs with each value too, and the best part of all placements wins.
struct TradeOff {
  std::string parameter = {};            ///< name; empty: none
  std::vector<std::string> values = {};  ///< values in the order of fewer migrations

  /// Returns the trade-off of a parameter that is the target maximum load relative to the minimum: 11 values
  /// from 1.0005 to 2.
  static TradeOff by_tolerance(std::string parameter = "tolerance") {
    return {std::move(parameter),
            {"1.0005", "1.005", "1.01", "1.02", "1.03", "1.05", "1.1", "1.2", "1.3", "1.5", "2"}};
  }
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
  TradeOff trade_off = {};                  ///< parameter that trades the score for fewer migrations
  /// Whether work() itself respects max_moves and max_moved_bytes. Other strategies do not get these limits.
  bool searches_within_limits = false;
  /// Whether placements have a shape, such as blocks of consecutive objects. Their migrations are not taken
  /// back one by one, even if the score would permit it.
  bool keeps_shape = false;
  /// Returns the columns that it needs with these parameters, if they decide; null: `needs`. With default
  /// parameters, these are `needs`.
  std::function<StrategyNeeds(const Parameters&)> needs_of = {};
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
  /// defaults too. Migrations that do not improve the strategy's score are taken back. If it has limits, its
  /// placement satisfies them: the best part of the placements that the strategy finds with all values of its
  /// TradeOff, within the limits. If that scores no better than from_proc, the result is from_proc. Throws
  /// Error (usage) for an unknown name or parameter, or a value of the wrong type or out of range.
  std::unique_ptr<Strategy> create(const std::string& name, const ParameterMap& parameters = {}) const;

 private:
  std::vector<StrategyInfo> infos_;
  std::map<std::string, std::string> plugins_;  // strategy name by path
};

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
