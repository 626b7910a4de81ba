#pragma once

#include <vector>

#include <plimsoll/support/internal/used_library.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Loads CBC.
support::UsedLibrary cbc_library();
/// Loads libarchive.
support::UsedLibrary libarchive_library();

/// Returns the libraries that this module is linked to.
std::vector<support::UsedLibrary> linked_libraries();

}  // namespace plimsoll::pelayout
