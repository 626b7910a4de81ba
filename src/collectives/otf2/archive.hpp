#pragma once

#include <string>
#include <vector>

#include "collectives/analysis/timeline.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Writes FOLDER/traces.otf2 and the files that it refers to, with the OTF2 library. `hosts` contains one
/// name per rank, empty if unknown. Throws Error (system).
void write_otf2_archive(const Timeline& timeline, const std::vector<std::string>& hosts,
                        const std::string& folder);

}  // namespace plimsoll::collectives
