#pragma once

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/load_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the load, in seconds, that a model predicts for each object of its history in the next phase.
/// Negative predictions become 0. Throws Error (usage) if any load or their sum is not finite.
std::vector<double> next_phase_loads(const LoadModel& model);

/// Replaces the loads in `phase` (LDObjData::walltime, ProcStats::total_walltime) with the loads that the
/// model predicts for the next phase. The prediction uses this phase and the phases before it. `phase` must
/// come from load_phase() of the same data set. Throws like dataset_history() and next_phase_loads().
void apply_load_model(const lbdata::Dataset& dataset, DatasetPhase& phase, LoadModel& model);

}  // namespace plimsoll::balance
