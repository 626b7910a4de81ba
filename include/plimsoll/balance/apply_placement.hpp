#pragma once

#include <cstdint>
#include <span>

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

}  // namespace plimsoll::balance
