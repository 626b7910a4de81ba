#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

#include "runtime/configuration/setting_table.hpp"
#include "runtime/recording/phase_hooks.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns whether a quarter of a rank's objects became slower, or faster, by 15 % or more from one phase to
/// the next. If it happens to all ranks, the program changes. Otherwise a processor has probably changed its
/// speed. Returns nothing if the rank had other objects before, or has fewer than 8. Cost: one comparison of
/// the objects, and a sample of their loads.
std::optional<bool> many_loads_changed(const lbdata::Tasks& now, const lbdata::Tasks& before);

/// Measurements of a rank in a phase.
struct RankMeasurement {
  balance::RankPhase phase;
  /// CPU time divided by the time outside of marked waits, 0 to 1; 1 if the loads are not wall-clock times.
  double running_share = 1;
  std::optional<bool> loads_changed = {};  ///< many_loads_changed(), unless the program passes the loads
};

/// Measures this rank's processor phase by phase: speed, background load, and whether other processes use it.
class RankMonitor {
 public:
  /// Collective. Measures the relative speed if the setting lb_measure_speed is on.
  explicit RankMonitor(const Session& session);

  /// Measures a phase that ends, before the ranks wait for each other. `loads_s` are the loads of this rank's
  /// objects, `before` the record of the phase before, if any.
  RankMeasurement measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                          std::span<const double> loads_s, const lbdata::PhaseRecord* before) const;
  /// Adds a phase that has ended on all ranks.
  void observe(const PhaseSummary& summary);
  /// Starts the next phase.
  void start_phase();
  /// Ignores the CPU time from pause() to resume(), which belongs to no phase.
  void pause();
  void resume();

  /// Returns the stats of this rank in the last phase. Its background load is the time that belongs to no
  /// object if the program marks its waits; otherwise it is 0, because that time would contain the waits.
  const balance::ProcStats& proc_stats() const { return proc_; }
  void set_available(bool available) { proc_.available = available; }

 private:
  double background_s(const RankTimes& times) const;
  double interrupted_s(const RankTimes& times) const;

  bool loads_are_cpu_time_;
  bool marks_waits_ = false;  // whether the program marked waits in the last phase
  balance::ProcStats proc_;
  std::int64_t cpu_at_pause_ = 0;
  std::int64_t cpu_at_start_ = 0;  // CPU time of this thread at the start of the phase, in nanoseconds
};

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
  /// Returns the strategy that places the objects of a checkpoint: the first one of the settings that can, or
  /// else GreedyLB.
  balance::StrategySpec strategy_after_restart() const;
  const std::optional<balance::WorkCoefficients>& work() const { return work_; }

  /// Returns whether decisions must not follow noise, i.e. whether they must pay.
  bool resists_noise() const { return condition_.kind == LbCondition::Kind::pays; }

  /// Adds this rank's measurements of a phase, and returns what they tell about loads and disturbances.
  BalancingEvidence evidence(const RankMeasurement& mine);
  /// Adds a phase: the evidence of all ranks, and the imbalance of the predicted loads.
  void observe(const BalancingEvidence& evidence, double imbalance);
  /// Returns whether the imbalance of the last phase is worth running a strategy, or a rank must be
  /// evacuated.
  bool is_worth_deciding() const;
  /// Adds a decision that took this time on the slowest rank.
  void decided(double decision_s) { benefit_.decided(decision_s); }
  /// Returns whether migrations with this predicted gain per phase pay, or a rank must be evacuated.
  bool is_worth_moving(double gain_s, const balance::MigrationVolume& volume);
  /// Adds migrations that took this time on the slowest rank. They change the predicted load of this rank
  /// from `before_s` to `after_s`.
  void moved(const balance::MigrationVolume& volume, double migration_s, double before_s, double after_s);

 private:
  const balance::LbSchedule& schedule() const;

  const Session& session_;
  LbCondition condition_;
  std::optional<balance::WorkCoefficients> work_;
  std::optional<balance::LbSchedule> own_schedule_;  // of set_strategy()
  balance::RankLoadWindow window_;
  balance::BenefitRule benefit_;
  bool is_first_phase_ = true;
  double imbalance_ = 0;        // of the last phase
  int disturbed_phases_ = 0;    // phases until the last disturbance of any rank is over
  bool must_evacuate_ = false;  // any rank
};

}  // namespace plimsoll::runtime
