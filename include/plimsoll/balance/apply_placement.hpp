#pragma once

#include <cstdint>
#include <span>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::inline v0_1::balance {

/// The data set with one phase rearranged so that object k of `phase` is on rank to_proc[k].
///
/// A task that moves keeps its load, subphases, user data, attributes and entity (so id and home); its `node`
/// is the new rank. A rank's tasks are those that stayed, in the file's order, then arrivals by former rank
/// and position. Edges go with the task that they were recorded for, in the same order: that of `to` if it
/// was on the rank that has the edge and is migratable (vt: the receiver records), else that of `from` if it
/// was on that rank (vt: a sender records what it sends to object groups), else that of `to` if it was there;
/// an edge of which neither end was there stays. User data of the phase and LB iterations stay with the rank.
///
/// Other phases mean what they meant: where a rank's record changes and this phase or later ones are listed
/// identical to a phase before, this phase and the first of the later ones get records of their own. A rank
/// that nothing leaves or reaches stays as it is.
///
/// `phase` is load_phase() of the same data set, with edge_objects. Throws Error (usage) if its ranks, tasks
/// or edges are not those of the data set, for a placement of another length, to a rank that does not exist,
/// or that moves a sentinel.
lbdata::Dataset apply_placement(lbdata::Dataset dataset, const DatasetPhase& phase,
                                std::span<const std::int32_t> to_proc);

/// The placement in the form that vt's OfflineLB reads: the phase as it was, and as phase + 1 the same tasks
/// rearranged as by apply_placement, with the times and subphases that phase + 1 has in the data set for the
/// same objects, if it has data on all ranks. vt wants every phase before the last accounted for: phases 0 to
/// phase - 1 are listed as skipped, none as identical, and `count` is left out. Throws as apply_placement.
lbdata::Dataset offline_lb_dataset(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                   std::span<const std::int32_t> to_proc);

}  // namespace plimsoll::balance
