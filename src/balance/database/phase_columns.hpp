#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns whether the user data of any task mention a memory size; if not, the memory column need not be
/// read. Searches the text without parsing it.
bool mention_memory(const std::vector<const lbdata::PhaseRecord*>& records);

/// Adds the requested columns to `phase`, which already contains its objects. `records` are the ranks'
/// records of the phase. Throws the same Errors as load_phase().
void add_columns(const lbdata::Dataset& dataset, const std::vector<const lbdata::PhaseRecord*>& records,
                 const PhaseColumns& columns, DatasetPhase& phase);

/// Returns the node of a rank (ProcStats::node), computed from `ranks_per_node`, or as in its file if that is
/// 0; -1 if unknown.
std::int32_t node_of_rank(const lbdata::Dataset& dataset, std::size_t rank, std::int32_t ranks_per_node = 0);

}  // namespace plimsoll::balance
