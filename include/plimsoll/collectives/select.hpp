#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A part of a profile.
struct Selection {
  std::optional<std::uint32_t> lead;  ///< all leads if unset
  std::string operation;              ///< name in any case, with or without "MPI_"; all if empty
};

/// Returns the part of a profile with the selected lead and operation. Throws Error (usage) if no recorded
/// call matches, or if the operation is unknown.
Profile select(Profile profile, const Selection& selection);

}  // namespace plimsoll::collectives
