#pragma once

#include <string>

#include <plimsoll/pelayout/pes_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Replaces numbers of nodes by numbers of tasks: negative task counts and roots are multiplied by the
/// variable MAX_MPITASKS_PER_NODE of the entry, as CIME does. Throws Error (bad_input), with the line of the
/// entry in `file`, if an entry with negative counts lacks this variable, or if a count becomes too large.
PesEntry in_tasks(PesEntry entry, const std::string& file = {});

/// Replaces task counts and roots that are whole numbers of nodes by negative numbers of nodes. Other counts
/// and root 0 are unchanged. Throws Error as in_tasks() does.
PesEntry in_nodes(PesEntry entry, const std::string& file = {});

}  // namespace plimsoll::pelayout
