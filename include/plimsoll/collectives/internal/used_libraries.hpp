#pragma once

#include <plimsoll/support/internal/used_library.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Loads OTF2.
support::UsedLibrary otf2_library();

}  // namespace plimsoll::collectives
