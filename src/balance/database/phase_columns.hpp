#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>

namespace plimsoll::inline v0_1::balance {

/// Returns whether the user data of a task mention a memory size, so that reading the memory column is
/// worthwhile. Searches the text without parsing it.
bool mention_memory(const std::vector<const lbdata::PhaseRecord*>& records);

/// Adds the requested columns to `phase`, which already contains its objects. `records` are the ranks'
/// records of the phase. Throws the same Errors as load_phase().
void add_columns(const lbdata::Dataset& dataset, const std::vector<const lbdata::PhaseRecord*>& records,
                 const PhaseColumns& columns, DatasetPhase& phase);

/// Returns the number of a rank's node (ProcStats::node): from `ranks_per_node`, or from its file if 0.
std::int32_t node_of_rank(const lbdata::Dataset& dataset, std::size_t rank, std::int32_t ranks_per_node = 0);

}  // namespace plimsoll::balance
