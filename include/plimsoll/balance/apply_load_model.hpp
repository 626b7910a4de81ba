#pragma once

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/load_model.hpp>

namespace plimsoll::inline v0_1::balance {

/// Load, in seconds, that a model expects of each object of its history in the next phase; 0 where it gives
/// less. Throws Error (usage) if one, or the sum of all, is not finite.
std::vector<double> next_phase_loads(const LoadModel& model);

/// Replaces the loads of a phase (LDObjData::walltime, ProcStats::total_walltime) by those that the model
/// expects for the next, from this phase and those before it. `phase` is of load_phase() of the same data
/// set. Throws as dataset_history() and next_phase_loads().
void apply_load_model(const lbdata::Dataset& dataset, DatasetPhase& phase, LoadModel& model);

}  // namespace plimsoll::balance
