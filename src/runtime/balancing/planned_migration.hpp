#pragma once

#include <functional>
#include <vector>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>

#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Predicted effect of a plan on this rank's load.
struct LoadOutlook {
  double load_before_s = 0;           ///< load as strategies see it, with the present placement
  double load_s = 0;                  ///< the same with the new placement
  double measured_load_before_s = 0;  ///< measured load with the present placement
  double measured_load_s = 0;         ///< the same with the new placement
  double bytes = 0;                   ///< bytes of the migrations of all ranks; 0 if unknown
};

/// A plan, and its consequences.
struct PlannedMigration {
  MigrationPlan plan;
  LoadOutlook outlook;
};

/// Rules that apply to the decision of any strategy.
struct MigrationRules {
  bool keep_last_element = false;  ///< the last element of a collection on a rank does not leave it
};

/// Runs a strategy on the stats of all ranks, and tells each rank what leaves it and what comes to it.
/// Collective. Throws like decide_centrally().
PlannedMigration plan_migration(const mpi::Communicator& communicator, const RankStats& mine,
                                balance::Strategy& strategy, const MigrationRules& rules = {});

/// Completes a plan, which has no exports and imports yet, with the objects that are to leave each rank. The
/// object goes to this rank if it is to be packed and unpacked here. Collective.
PlannedMigration announce(const mpi::Communicator& communicator, const RankStats& mine,
                          std::vector<LeavingObject> leaving, const MigrationRules& rules = {},
                          MigrationPlan plan = {});
/// Returns the result of `decide`, with the time of the slowest rank in decision_s. Collective.
PlannedMigration timed_decision(const mpi::Communicator& communicator,
                                const std::function<PlannedMigration()>& decide);

}  // namespace plimsoll::runtime
