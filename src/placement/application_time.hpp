#pragma once

#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

/// Returns the seconds that each rank of MPI_COMM_WORLD spent outside the collectives with recorded times,
/// i.e. from the end of one call to the start of the next. The result is empty if no rank has two such calls.
/// O(times x log calls). Throws Error (bad_input) for times of ranks that do not exist.
std::vector<double> application_times(const collectives::Profile& profile);

}  // namespace plimsoll::placement
