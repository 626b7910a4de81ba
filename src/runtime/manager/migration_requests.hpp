#pragma once

#include <span>
#include <vector>

#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/object.hpp>

#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Throws Error (usage) if the program requests that an object which is not in `ids` migrates, or to a rank
/// that does not exist.
void expect_valid(const std::vector<ObjectId>& ids, std::span<const Move> requested, int ranks);

/// Returns the objects that leave this rank if the program's requests replace decisions of the strategy.
std::vector<LeavingObject> leaving_objects(const std::vector<ObjectId>& ids, std::span<const Move> decided,
                                           std::span<const Move> requested);

}  // namespace plimsoll::runtime
