#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/balance/changing_loads.hpp>
#include <plimsoll/balance/lb_condition.hpp>
#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/several_phases.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "runtime/configuration/setting_table.hpp"
#include "runtime/manager/rank_monitor.hpp"
#include "runtime/recording/phase_hooks.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Decides which strategy runs at the end of which phase, and whether its migrations pay. All ranks get the
/// same answers, because they pass the same values.
class BalancingPolicy {
 public:
  /// The session must outlive this object.
  explicit BalancingPolicy(const Session& session);

  /// Runs this strategy after every phase, instead of the strategies of the settings. Throws Error (usage)
  /// for an invalid strategy.
  void set_strategy(const std::string& strategy);
  /// Returns the strategy to run at the end of a phase, if any.
  std::optional<balance::StrategySpec> strategy(std::int64_t phase) const;
  /// Returns whether a strategy runs after any phase.
  bool has_strategies() const;
  /// Returns the strategy that places the objects of a checkpoint: the first one of the settings that can, or
  /// else GreedyLB.
  balance::StrategySpec strategy_after_restart() const;
  const std::optional<balance::WorkCoefficients>& work() const { return work_; }

  /// Returns whether decisions must not follow noise, i.e. whether they must pay.
  bool resists_noise() const { return condition_.kind == balance::LbCondition::Kind::pays; }

  /// Adds this rank's measurements of a phase, and returns what they tell about loads and disturbances.
  BalancingEvidence evidence(const RankMeasurement& mine);
  /// Returns whether decisions may use the loads of several phases: a strategy of the settings can place
  /// objects so that each of them is balanced.
  bool balances_phases() const { return balances_phases_; }
  /// Adds a phase: the evidence of all ranks, and the imbalance of the predicted loads. `knows_phases`:
  /// whether the loads of the last phases are known.
  void observe(const BalancingEvidence& evidence, double imbalance, bool knows_phases);
  /// Returns the number of past phases that the next placement must balance, because the loads change.
  std::size_t n_phases() const { return n_phases_; }
  /// Returns whether any rank has device times in addition to its loads.
  bool has_device_times() const { return has_device_times_; }
  /// Returns whether the imbalance of the last phase is worth running a strategy, or a rank must be
  /// evacuated.
  bool is_worth_deciding();
  /// Adds a decision that took this time on the slowest rank.
  void decided(double decision_s) { benefit_.decided(decision_s); }
  /// Returns whether migrations with this predicted gain per phase pay, or a rank must be evacuated.
  bool is_worth_moving(double gain_s, const balance::MigrationVolume& volume);
  /// Returns the number of migrations of a refused plan that may pay without the others; 0: none.
  std::int64_t affordable_moves(std::int64_t moves) const;
  /// Returns why is_worth_deciding() or is_worth_moving() has returned false after the last phase.
  lbdata::NotBalanced reason() const;
  /// Returns the predicted time of a migration.
  double predicted_migration_s(const balance::MigrationVolume& volume) const {
    return benefit_.migration_s(volume);
  }
  /// Load of this rank before and after migrations.
  struct LoadChange {
    double before_s = 0;
    double after_s = 0;
  };
  /// Adds migrations that took this time on the slowest rank. They change the predicted load of this rank,
  /// and that of its device.
  void moved(const balance::MigrationVolume& volume, double migration_s, const LoadChange& load,
             const LoadChange& device);

 private:
  const balance::LbSchedule& schedule() const;
  bool any_balances_phases() const;

  const Session& session_;
  balance::LbCondition condition_;
  std::optional<balance::WorkCoefficients> work_;
  std::optional<balance::LbSchedule> own_schedule_;  // of set_strategy()
  balance::RankLoadWindow window_;
  balance::RankLoadWindow device_window_;
  balance::RankLoadChanges rank_changes_;
  balance::ChangingLoads changing_;
  bool balances_phases_ = false;
  std::size_t n_phases_ = 1;
  balance::BenefitRule benefit_;
  bool is_first_phase_ = true;
  bool has_device_times_ = false;
  double imbalance_ = 0;        // of the last phase
  int disturbed_phases_ = 0;    // phases until the last disturbance of any rank is over
  bool must_evacuate_ = false;  // any rank
};

}  // namespace plimsoll::runtime
