#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/score.hpp>

namespace plimsoll::inline v0_1::balance {

/// What a strategy tells of its decision besides where objects go.
struct Remark {
  std::string key;   ///< what `value` is, such as "proven_bound"
  double value = 0;  ///< in the unit that the key implies
  std::string text;  ///< a sentence for people
};

/// What of LDStats beyond loads and edges a strategy wants to see (PhaseColumns).
struct StrategyNeeds {
  bool memory = false;     ///< LDStats::memory and blocks
  bool positions = false;  ///< LDStats::positions
};

/// Decides where objects go.
///
/// Every strategy of Plimsoll but NoLB leaves sentinels where they are and counts them as background, places
/// objects on available processors only, and moves those that are on one that is not; a processor finishes at
/// bg_walltime + load / pe_speed. The same stats and parameters give the same decision.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Reads everything but `to_proc`, writes `to_proc` only.
  /// Throws Error: bad_input for stats that are bad (see ProcArray), usage if no processor is available for
  /// migratable objects; `to_proc` is then as before.
  virtual void work(LDStats& stats) = 0;

  /// What work() minimises: its decision never scores worse than from_proc, unless objects had to leave a
  /// processor. The base class's is always 0: a strategy that minimises nothing.
  virtual Score score(const LDStats& stats, std::span<const std::int32_t> placement) const;

  /// What there is to tell of the last work().
  virtual std::vector<Remark> remarks() const { return {}; }

  const std::string& name() const { return name_; }
  const Parameters& parameters() const { return parameters_; }
  /// What it and its limits want to see, as the registry that made it knows.
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
