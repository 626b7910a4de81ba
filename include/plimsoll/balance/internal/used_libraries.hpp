#pragma once

#include <vector>

#include <plimsoll/support/internal/used_library.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Loads METIS.
support::UsedLibrary metis_library();
/// Loads Scotch.
support::UsedLibrary scotch_library();
/// Loads Zoltan, and the MPI that it was built for.
support::UsedLibrary zoltan_library();

/// Loads all partitioners that this Plimsoll was built with.
inline std::vector<support::UsedLibrary> used_libraries() {
  return {metis_library(), scotch_library(), zoltan_library()};
}

}  // namespace plimsoll::balance
