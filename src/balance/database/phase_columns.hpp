#pragma once

#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>

namespace plimsoll::inline v0_1::balance {

/// Adds the columns asked for to a phase whose objects are there. `records` are the ranks' records of it.
/// Throws as load_phase().
void add_columns(const lbdata::Dataset& dataset, const std::vector<const lbdata::PhaseRecord*>& records,
                 const PhaseColumns& columns, DatasetPhase& phase);

}  // namespace plimsoll::balance
