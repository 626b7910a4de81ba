#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the record of each rank in `phase` with the tasks and edges that the rank has in the new
/// placement, in the order of apply_placement(). Other members of the records are empty. Throws like
/// apply_placement().
std::vector<lbdata::PhaseRecord> rearranged_records(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                                    std::span<const std::int32_t> to_proc);

}  // namespace plimsoll::balance
