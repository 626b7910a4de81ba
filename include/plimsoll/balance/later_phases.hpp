#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Loads of the ranks in a phase after the one that was balanced: with the new placement, and as recorded.
struct LaterPhase {
  std::int64_t phase = 0;
  double mean_time_s = 0;          ///< mean load of the ranks, the same for both placements
  double max_time_s = 0;           ///< maximum load with the new placement
  double imbalance = 0;            ///< max / mean - 1 with the new placement; NaN unless the mean is above 0
  double recorded_max_time_s = 0;  ///< maximum load as recorded
  double recorded_imbalance = 0;   ///< max / mean - 1 as recorded; NaN unless the mean is above 0
};

/// Returns the loads of the ranks in all phases after `phase` that have data on all ranks. The loads with the
/// new placement are the measured loads that the ranks would have had if object k of `phase` had stayed on
/// rank to_proc[k]. Recorded migrations of these objects are ignored. Objects that `phase` does not contain,
/// and non-migratable objects, are on the rank where they were recorded. Objects that no longer exist have no
/// load.
///
/// `phase` must come from load_phase() of the same data set. Cost: O(tasks of the later phases + entities);
/// phases with the same data count once. Throws Error (usage) for a placement of another length or a rank
/// that does not exist. Throws Error (bad_input) for a load that is negative or not finite.
std::vector<LaterPhase> later_phases(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                     std::span<const std::int32_t> to_proc);

}  // namespace plimsoll::balance
