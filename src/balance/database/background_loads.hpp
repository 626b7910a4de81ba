#pragma once

#include <cstdint>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Sets ProcStats::bg_walltime to what a running program knows at the end of `phase`: the lower median of the
/// `background_load` of the rank object in this phase and the two before it. Phases without data are skipped;
/// a rank without that attribute has no background load. Cost: O(attributes). Throws Error (bad_input) for a
/// value that is not a finite number >= 0.
void read_background_loads(const lbdata::Dataset& dataset, std::int64_t phase, LDStats& stats);

}  // namespace plimsoll::balance
