#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/balance/changing_loads.hpp>
#include <plimsoll/balance/load_evidence.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// BenefitRule together with the recent loads of all ranks, for replays and simulations, which know all of
/// them. In a running program, each rank keeps its own loads.
class RuleOfRanks {
 public:
  /// `balances_phases`: whether the strategy can place objects so that each of several phases is balanced.
  RuleOfRanks(std::size_t n_ranks, bool balances_phases);

  /// Adds a phase that has ended.
  void observe(std::span<const RankPhase> ranks);
  /// Returns the number of past phases that the next placement must balance: more than 1 if loads change from
  /// phase to phase.
  std::size_t n_phases() const { return n_phases_; }
  /// Adds migrations that took this time, and the loads of the ranks before and after them.
  void moved(const MigrationVolume& volume, double migration_s, std::span<const double> before_s,
             std::span<const double> after_s);

  BenefitRule& rule() { return rule_; }

 private:
  BenefitRule rule_;
  std::vector<RankLoadWindow> windows_;
  std::vector<RankLoadChanges> rank_changes_;
  ChangingLoads changing_;
  bool balances_phases_;
  std::size_t n_phases_ = 1;
};

}  // namespace plimsoll::balance
