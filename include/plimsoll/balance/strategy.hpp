#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>
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
  /// from_proc, unless objects had to leave a processor. The base class always returns 0, for strategies that
  /// minimise nothing.
  virtual Score score(const LDStats& stats, std::span<const std::int32_t> placement) const;

  /// Returns whether work() minimises score(). If not, as in RotateLB, a running program follows every
  /// decision, whether or not it pays.
  virtual bool minimises_score() const { return true; }

  /// Returns the remarks of the last work().
  virtual std::vector<Remark> remarks() const { return {}; }

  /// Returns the primary score (Score::first) that the last work() aimed at; 0 if the strategy has no target.
  /// run() adds a remark if the placement misses it, also because of limits.
  virtual double target() const { return 0; }

  const std::string& name() const { return name_; }
  const Parameters& parameters() const { return parameters_; }
  /// Returns the columns that the strategy and its limits need. The registry that made the strategy sets
  /// them.
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

}  // namespace plimsoll::balance
