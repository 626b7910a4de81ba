#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/balancing/planned_migration.hpp"
#include "runtime/balancing/rank_stats.hpp"
#include "runtime/manager/balancing_account.hpp"
#include "runtime/manager/balancing_policy.hpp"
#include "runtime/manager/rank_monitor.hpp"
#include "runtime/manager/recorded_decisions.hpp"
#include "runtime/recording/phase_end.hpp"
#include "runtime/recording/phase_hooks.hpp"
#include "runtime/recording/recording.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Follows recorded placements: vt's OfflineLB. Each rank reads its own file and requests the objects that
/// the file assigns to it.
class OfflineMigration {
 public:
  /// Collective: reads the files that the settings lb_data_dir_in and lb_data_file_in specify. Throws Error
  /// on all ranks like balance::RecordedPlacement. The session must outlive this object.
  explicit OfflineMigration(const Session& session);

  /// Returns the objects of this rank that other ranks have in phase `phase` + 1 of the recording; none if
  /// that phase is not recorded. Collective. Ignores recorded objects that no rank has; the first time,
  /// prints on rank 0 their number, and how many objects the recording lacks. Throws Error (bad_input)
  /// on all ranks if the recording has an object on two ranks.
  std::vector<LeavingObject> leaving(std::int64_t phase, const RankStats& mine, Directory& directory);

 private:
  void warn_of(std::int64_t only_recorded, std::int64_t only_here, std::int64_t phase);
  const Session& session_;
  balance::RecordedPlacement placement_;
  bool has_warned_ = false;
};

/// Marks a collective call between phase ends, as long as it exists: its time belongs to no phase.
class OutsideOfPhases {
 public:
  /// Waits for all ranks, like PhaseEnd::enter(). Delegates, so that the destructor runs if that throws.
  OutsideOfPhases(Recording& recording, RankMonitor& monitor, PhaseEnd& phase_end, CollectiveCall call)
      : OutsideOfPhases(recording, monitor) {
    phase_end.enter(call);
  }
  OutsideOfPhases(const OutsideOfPhases&) = delete;
  OutsideOfPhases& operator=(const OutsideOfPhases&) = delete;
  ~OutsideOfPhases() {
    monitor_.resume();
    recording_.meter.start();
  }

 private:
  OutsideOfPhases(Recording& recording, RankMonitor& monitor)
      : recording_(recording), monitor_(monitor), own_work_(recording) {
    if (recording.meter.is_on()) recording.meter.update();
    monitor.pause();
  }

  Recording& recording_;
  RankMonitor& monitor_;
  OwnWork own_work_;
};

/// What a Balancer knows, and what it does at the ends of phases. Named after vt's component. Members that
/// communicate are collective and throw on all ranks.
class LBManager {
 public:
  /// Collective. Stores references to the arguments, which must outlive this object. Throws Error like
  /// BalancingPolicy, and Error (usage) if the recorder already has a balancer.
  LBManager(const Session& session, Recording& recording, NodeLBData& data, PhaseEnd& phase_end);
  LBManager(const LBManager&) = delete;
  LBManager& operator=(const LBManager&) = delete;
  ~LBManager();

  /// Measures the phase that ends on this rank, before the ranks wait for each other. Returns this rank's
  /// part of the evidence for balance(). `loads_s` are the loads, in seconds, that the load model predicts
  /// for the tasks of the phase. `device_s` are those of the device, if any. `inferred` is their error if
  /// they are inferred.
  BalancingEvidence measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                            std::span<const double> loads_s, std::vector<double> device_s,
                            std::optional<InferenceError> inferred);
  /// Collective: plans and migrates if the program balances at phase ends. Called on all ranks, or on none if
  /// a rank had an error in the phase. `evidence` is merged over all ranks.
  BalancingSummary balance(const EndedPhase& phase, const BalancingEvidence& evidence);
  /// Called when the recording or the balancing ends, whichever is first: tells what balancing has cost,
  /// saved and missed.
  void end();
  /// Called when the measurement of the next phase begins.
  void phase_begins() {
    requests_.clear();  // remain if a rank had an error in the phase
    monitor_.start_phase();
  }

 private:
  friend class Balancer;

  /// Plan that has not been carried out yet.
  struct Pending {
    std::int64_t moves = 0;
    std::chrono::steady_clock::time_point planned_at;
  };

  /// Plan migrations after the last phase that has ended: by the policy, which may make no plan, or always.
  /// Throw Error (usage) before the first phase has ended.
  MigrationPlan plan_by_policy();
  MigrationPlan plan_of_strategy();
  MigrationPlan replayed_plan();
  MigrationPlan plan_with(const balance::StrategySpec& spec, bool by_policy);
  MigrationPlan with_requests(MigrationPlan plan);
  MigrationRules rules() const;
  PlannedMigration decide(const balance::StrategySpec& spec, balance::Strategy* strategy,
                          const RankStats& mine, const MigrationRules& rules);
  /// Returns whether the records of the last phases contain the loads that decisions use.
  bool knows_loads() const { return phase_end_.predicts_measured_loads() && !has_late_loads_; }
  std::vector<double> decision_loads(const lbdata::PhaseRecord& record, bool must_pay) const;
  RankStats stats(const balance::StrategyNeeds& needs, bool must_pay, std::size_t n_phases = 1) const;
  std::vector<double> loads_of_last_phases(std::size_t n_phases) const;
  void keep_phases();
  BalancingSummary migrations_of_program(const PhaseSummary& phase);
  void balance_objects(BalancingSummary& balancing, bool has_requests);
  void note_migrations(const MigrationPlan& plan, double migration_s);
  void learn(const MigrationPlan& plan, double price_s);
  double price_of(const std::function<void()>& work) const;
  MigrationReport carry_out(const MigrationPlan& plan, const ObjectTransport& transport);
  bool must_evacuate() const;
  void add_to(BalancingSummary& balancing, const MigrationPlan& plan, double migration_s) const;
  void call_hooks(const MigrationPlan& plan);
  OutsideOfPhases enter(CollectiveCall call);

  const Session& session_;
  Recording& recording_;
  NodeLBData& data_;
  PhaseEnd& phase_end_;
  BalancingPolicy policy_;
  RankMonitor monitor_;
  Relocation relocation_;
  Directory directory_;
  std::optional<OfflineMigration> offline_;   // set if OfflineLB is used
  std::optional<DecisionFile> decisions_;     // set if decisions are recorded
  std::optional<DecisionReplay> replay_;      // set if decisions are repeated
  std::optional<ObjectTransport> transport_;  // set if objects migrate at phase ends
  std::vector<Move> requests_;                // of the program on this rank, for the end of this phase
  std::vector<std::function<void(const MigrationPlan&)>> hooks_;
  std::vector<double> loads_s_;                 // predicted loads of the tasks of the last phase
  std::vector<double> device_s_;                // the same of the device, if any
  std::int64_t loads_phase_ = -1;               // phase of loads_s_ and device_s_
  bool has_late_loads_ = false;                 // whether times that are the loads have ever been late
  LoadOutlook outlook_;                         // what the last decision means for this rank
  BalancingSummary of_program_;                 // migrations that the program has started in this phase
  double price_s_ = 0;                          // of the last migration
  double predicted_price_s_ = 0;                // of the last plan
  std::optional<lbdata::NotBalanced> refused_;  // why the last plan was refused
  BalancingAccount account_;
  bool calling_hooks_ = false;
  std::optional<Pending> pending_;  // last plan, until it is carried out
};

}  // namespace plimsoll::runtime
