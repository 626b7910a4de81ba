#pragma once

#include <cstdint>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the stats of a larger run, in which rank r has copies of the objects of rank r modulo
/// stats.count(). The last copy of the ranks may be incomplete. All optional columns are copied:
///
///   - Objects of one copy communicate with each other as recorded. Edges with an end that an incomplete copy
///     lacks are dropped.
///   - Numbers of the first copy are the positions in the order of the recorded numbers; other copies follow.
///   - Copies are next to each other along the first axis of the positions.
///   - Nodes and shared blocks are not shared by copies. A block whose home an incomplete copy lacks is at
///   home
///     on the first rank of the copy.
///
/// to_proc is equal to from_proc. Throws Error (usage) for fewer ranks than the stats have, for stats without
/// ranks, for more than 2^24 ranks, and for 2^31 objects or more. Cost: O(result).
LDStats replicated(const LDStats& stats, std::int64_t ranks);

}  // namespace plimsoll::balance
