#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::collectives {

/// A part of a profile.
struct Selection {
  std::optional<std::uint32_t> lead;  ///< all leads if none is given
  std::string operation;              ///< in any case, with or without "MPI_"; all if empty
};

/// What a profile has of that lead and that operation. Throws Error (usage) if it has none, or there is no
/// such operation.
Profile select(Profile profile, const Selection& selection);

}  // namespace plimsoll::collectives
