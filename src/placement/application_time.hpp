#pragma once

#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::placement {

/// Seconds that each rank of MPI_COMM_WORLD spent between the collectives whose times are recorded, from the
/// end of one to the begin of the next. Empty if no rank has two such calls. O(times x log calls).
/// Throws Error (bad_input) for times of other ranks than there are.
std::vector<double> application_times(const collectives::Profile& profile);

}  // namespace plimsoll::placement
