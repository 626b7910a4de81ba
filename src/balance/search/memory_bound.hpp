#pragma once

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a lower bound on the maximum work per rank of all placements within the memory limits and
/// `max_blocks`: the bound without limits, or the bound that follows from the space for shared blocks, if
/// that is higher. Communication and off-home shared blocks count as 0.
///
/// A placement divides the load of each shared block into pieces, one per rank that holds a copy of the
/// block. Each copy takes space of its rank: one of the blocks that fit into the rank at most, or the bytes
/// of the block. A placement with a maximum work of T satisfies two conditions for each kind of space. The
/// bound is the maximum T that violates one of them.
///
/// Let C_r(T) be the maximum load on rank r, w_b the load of block b, and c_b the space of one copy of it.
///  1. Block b has n_b >= max(1, ceil(w_b / max_r C_r(T))) copies. All of them fit: the sum of n_b c_b is at
///     most the space of all ranks.
///  2. Let H be any set of blocks. The other blocks take at least the sum of their n_b c_b. The rest of the
///     space limits the number of copies of blocks in H, and therefore the number m of ranks that hold any of
///     them. The other N - m ranks hold only other blocks; every copy of one takes the space c_b and holds at
///     most the load w_b. The load on these ranks is therefore at most K, the value of the fractional
///     knapsack of the other blocks in their space. The m ranks hold the rest of the load: it is at most the
///     sum of their C_r(T). If no m satisfies this, no placement has a maximum work of T.
///
/// For H, the function tries the blocks with the highest load per space. For the N - m ranks it assumes the
/// largest spaces, and for the m ranks the largest C_r(T), so that the bound holds for any choice of ranks.
/// Blocks that non-migratable objects use are excluded, because some of their copies exist anyway. Memory
/// that the function ignores only reduces the space.
///
/// Cost: O(objects log objects), and about 40 times O((blocks + ranks) log(blocks + ranks)).
double max_work_lower_bound(const LDStats& stats, const WorkGoal& goal);

}  // namespace plimsoll::balance
