#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/patterns.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns the shares of calls and bytes of each class of structures, and a table of the structures.
std::string structures_text(const std::vector<collectives::StructureTotal>& totals);

}  // namespace plimsoll::cli
