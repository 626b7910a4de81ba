#pragma once

#include <string>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a refusal of the rule by name, in a sentence with its numbers and, where one exists, a remedy, and
/// as numbers. `is_disturbed`: whether other processes have recently used the processors.
lbdata::NotBalanced describe(const Refusal& refusal, bool is_disturbed);

/// Returns why lb_when did not run a strategy for this imbalance (max/mean - 1).
lbdata::NotBalanced below_threshold(double imbalance, double min_imbalance);
/// Returns that the settings run no strategy after this phase.
lbdata::NotBalanced not_scheduled();

}  // namespace plimsoll::balance
