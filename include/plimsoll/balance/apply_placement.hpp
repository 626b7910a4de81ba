#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the data set with one phase rearranged so that object k of `phase` is on rank to_proc[k].
///
/// A task that migrates keeps its load, subphases, user data, attributes and entity, i.e. also its id and
/// home. Its `node` becomes the new rank. Each rank lists first the tasks that stayed, in the file's order,
/// and then the arriving tasks by former rank and position. The rank keeps its user data of the phase and its
/// LB iterations.
///
/// Edges migrate with the task that they were recorded for, and keep their order. This task is the first of
/// these that exists:
///   1. the `to` task, if it was on the rank that has the edge and is migratable (vt: the receiver records)
///   2. the `from` task, if it was on that rank (vt: a sender records its messages to object groups)
///   3. the `to` task, if it was on that rank
/// An edge stays on its rank if neither end was on it.
///
/// The other phases keep their data. If the record of some rank changes, and this phase or later phases are
/// listed as identical to an earlier phase, this phase and the first of the later phases get separate
/// records. The file of a rank stays unchanged if no object leaves or reaches this rank.
///
/// `phase` must come from load_phase() of the same data set, with edge_objects. Throws Error (usage) if its
/// ranks, tasks or edges differ from the data set's. Also throws Error (usage) for a placement of another
/// length, a rank that does not exist, or a placement that moves a non-migratable object.
lbdata::Dataset apply_placement(lbdata::Dataset dataset, const DatasetPhase& phase,
                                std::span<const std::int32_t> to_proc);

/// Loads of the ranks in a phase after the one that was balanced: with the new placement, and as recorded. If
/// the ranks synchronise after each subphase, the maxima are the times of the phase (phase_time()).
struct LaterPhase {
  std::int64_t phase = 0;
  double mean_time_s = 0;          ///< mean load of the ranks, the same for both placements
  double max_time_s = 0;           ///< maximum load with the new placement
  double imbalance = 0;            ///< max / mean - 1 with the new placement; NaN unless the mean is above 0
  double recorded_max_time_s = 0;  ///< maximum load as recorded
  double recorded_imbalance = 0;   ///< max / mean - 1 as recorded; NaN unless the mean is above 0
};

/// Returns the loads of the ranks in all phases after `after` that have data on all ranks. The loads with the
/// new placement are the measured loads that the ranks would have had if object k of `phase` had stayed on
/// rank to_proc[k]. Recorded migrations of these objects are ignored. Objects that `phase` does not contain,
/// and non-migratable objects, are on the rank where they were recorded. Objects that no longer exist have no
/// load.
///
/// `phase` must come from load_phase() of the same data set. Cost: O(tasks of the later phases + entities);
/// phases with the same data count once. Throws Error (usage) for a placement of another length or a rank
/// that does not exist. Throws Error (bad_input) for a load that is negative or not finite.
std::vector<LaterPhase> later_phases(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                     std::span<const std::int32_t> to_proc, std::int64_t after);

}  // namespace plimsoll::balance
