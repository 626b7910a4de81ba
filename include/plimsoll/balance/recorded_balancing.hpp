#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::inline v0_1::balance {

/// Load balancing in the run that recorded a data set. A program that Plimsoll balances writes it to
/// `user_defined` of each phase at whose end a strategy ran: `lb_name`, `lb_time`, `migration_count`,
/// `migration_time`.
struct RecordedBalancing {
  std::vector<std::string> strategies;  ///< names of the strategies, in the order of their first run
  std::int64_t n_phases = 0;            ///< number of phases at whose end a strategy ran
  std::int64_t n_migrations = 0;        ///< number of migrated objects
  double decision_s = 0;                ///< time to decide
  double migration_s = 0;               ///< time to migrate objects
};

/// Returns the sums over these phases. All ranks record the same values, so the function reads those of rank
/// 0. Skips phases whose values have other types, because `user_defined` belongs to the program.
RecordedBalancing recorded_balancing(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases);

}  // namespace plimsoll::balance
