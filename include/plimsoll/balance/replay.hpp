#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/balance/lb_condition.hpp>
#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/migration_price.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Costs that a replay adds to the time of the phases, in seconds. The defaults are assumptions.
struct ReplayCosts {
  double per_decision_s = 100e-6;      ///< cost of each decision of a strategy
  double per_decided_object_s = 1e-6;  ///< cost per object of the phase and decision
  MigrationPrice migration;            ///< cost of migrations
  /// Number of recorded decisions and migrations that the costs are fitted to; 0: assumptions.
  std::int64_t n_decisions = 0;
  std::int64_t n_migrations = 0;

  double decision_s(std::int64_t n_objects) const {
    return per_decision_s + per_decided_object_s * static_cast<double>(n_objects);
  }
};

/// Returns the costs of a run that was balanced, from its BalancedPhases: the mean time of its decisions, and
/// the times of its migrations as a function of what they moved. What was not recorded keeps its default.
ReplayCosts recorded_costs(const lbdata::Dataset& dataset);

/// What a replay tries on a recorded run.
struct ReplayRequest {
  LbSchedule schedule;    ///< strategy to run at the end of each phase
  LbCondition condition;  ///< condition under which its migrations take place
  /// Pipeline for make_load_model(); strategies balance the loads that it predicts. With NaivePersistence and
  /// a condition of the kind `pays`, strategies see loads without single outliers, as in a running program.
  std::string load_model = measured_loads;
  /// Coefficients of the work model. Without them, the time of a phase is the maximum load of a rank.
  std::optional<WorkCoefficients> work = {};
  bool synchronised_subphases = false;  ///< whether ranks wait for each other after each subphase
  ReplayCosts costs = {};
  bool background = true;  ///< as PhaseRequest::background
};

/// Migration of an object in a replay.
struct ReplayedMigration {
  lbdata::WideInteger object;  ///< number of the object: its `id`, else its `seq_id`
  std::int32_t from = 0;
  std::int32_t to = 0;
};

/// Decision at the end of a phase.
struct ReplayedDecision {
  std::string strategy;                       ///< strategy of the schedule with its parameters; empty if none
  bool has_decided = false;                   ///< whether the strategy ran
  double decision_s = 0;                      ///< charged time to decide
  double migration_s = 0;                     ///< charged time to migrate
  double predicted_gain_s = 0;                ///< predicted decrease of the time of a phase
  double moved_bytes = 0;                     ///< serialised size of the migrated objects; 0 if unknown
  Refusal refusal;                            ///< why nothing migrated, with LbCondition::Kind::pays
  std::vector<ReplayedMigration> migrations;  ///< migrations, by object in the order of the data

  bool has_migrated() const { return !migrations.empty(); }
  double cost_s() const { return decision_s + migration_s; }
};

/// Phase of a replay. All times are those of a phase, in seconds: the maximum over the ranks of their load or
/// work, or the sum over the subphases of these maxima.
struct ReplayedPhase {
  std::int64_t phase = 0;
  double time_s = 0;          ///< with the placement of the replay, without costs
  double mean_s = 0;          ///< mean load or work of the ranks
  double recorded_s = 0;      ///< with the placement in which the phase was recorded
  double not_balanced_s = 0;  ///< with each object on the rank where it first appeared
  double not_migrated_s = 0;  ///< with the placement before the last migrations of the replay
  double bound_s = 0;         ///< lower bound for any placement
  ReplayedDecision decision;  ///< at the end of the phase

  double imbalance() const;  ///< time_s / mean_s - 1; NaN unless the mean is above 0
};

/// How long a placement of a replay remained good.
struct PlacementLife {
  std::int64_t phase = 0;    ///< phase at whose end the objects migrated
  std::size_t n_phases = 0;  ///< number of phases until the next migrations, or the end
  /// Number of phases, from the first, for which the placement saved at least half of what it saved in the
  /// first one, compared with the placement before it.
  std::size_t good_phases = 0;
  double saved_s = 0;  ///< time that it saved in all of its phases; below 0 if it took longer
  double cost_s = 0;   ///< charged time to decide and migrate
};

/// Result of a replay: the phases with data on all ranks, in ascending order.
struct Replay {
  std::vector<ReplayedPhase> phases;

  double phases_s() const;  ///< time of all phases without costs
  double costs_s() const;   ///< time of all decisions and migrations
  double total_s() const { return phases_s() + costs_s(); }
  double recorded_s() const;          ///< time of all phases as recorded, without costs
  double not_balanced_s() const;      ///< time of all phases if no object ever migrates
  double bound_s() const;             ///< sum of the lower bounds of the phases
  std::int64_t n_balanced() const;    ///< number of phases at whose end objects migrated
  std::int64_t n_migrations() const;  ///< number of migrations
  /// Returns the placements in the order in which they took effect.
  std::vector<PlacementLife> placements() const;
};

/// Walks through the recorded phases as a running program would: a strategy sees only the phases up to its
/// decision, and its placement applies to the later ones.
///
/// Each object starts on the rank where it first appears in the data, and stays there until the replay
/// migrates it: migrations that were recorded do not happen. An object is the same in all phases if it has
/// the same number. Non-migratable objects are on their recorded ranks. No decision follows the last phase.
///
/// Cost: O(tasks) of all phases, and that of the strategies. Throws Error (usage) for invalid strategies and
/// load models, and Error (bad_input) if no phase has data on all ranks, and like load_phase(). `progress`
/// counts phases.
Replay replay(const lbdata::Dataset& dataset, const ReplayRequest& request,
              support::Progress& progress = support::Progress::none());

/// Returns the data set that the program would have recorded in a replay: the same tasks and edges on the
/// ranks of the replay, and its decisions in `user_defined` of the phases (BalancedPhase). `replay` must come
/// from the same data set.
lbdata::Dataset replayed_data_set(lbdata::Dataset dataset, const Replay& replay);

}  // namespace plimsoll::balance
