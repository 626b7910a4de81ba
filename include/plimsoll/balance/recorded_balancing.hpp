#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Phase at whose end a strategy ran. A program that Plimsoll balances writes these values to `user_defined`
/// of the phase: `lb_name`, `lb_time`, `lb_predicted_gain`, `migration_count`, `migration_time`.
struct BalancedPhase {
  std::int64_t phase = 0;
  std::string strategy;
  std::int64_t n_migrations = 0;           ///< number of migrated objects
  double decision_s = 0;                   ///< time to decide
  double migration_s = 0;                  ///< time to migrate objects
  std::optional<double> predicted_gain_s;  ///< predicted decrease of the maximum load; empty if not recorded
};

/// Returns the phases among these at whose end a strategy ran. All ranks record the same values, so the
/// function reads those of rank 0. Skips phases whose values have other types, because `user_defined` belongs
/// to the program.
std::vector<BalancedPhase> balanced_phases(const lbdata::Dataset& dataset,
                                           std::span<const std::int64_t> phases);

/// Load balancing in the run that recorded a data set: sums over its BalancedPhases.
struct RecordedBalancing {
  std::vector<std::string> strategies;  ///< names of the strategies, in the order of their first run
  std::int64_t n_phases = 0;            ///< number of phases at whose end a strategy ran
  std::int64_t n_migrations = 0;        ///< number of migrated objects
  double decision_s = 0;                ///< time to decide
  double migration_s = 0;               ///< time to migrate objects
};

/// Returns the sums over the balanced phases among these.
RecordedBalancing recorded_balancing(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases);

}  // namespace plimsoll::balance
