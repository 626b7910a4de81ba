#pragma once

#include <plimsoll/balance/partition_graph.hpp>

#include "balance/partition/free_objects.hpp"
#include "balance/partition/rank_targets.hpp"

namespace plimsoll::inline v0_1::balance {

/// Gives the parts other numbers (indices of targets.ranks), so that part i holds much of what is on rank i
/// now.
///
/// The value of a part on a rank is the fraction of all objects (of their migration bytes if known) that is
/// there already, plus twice the fraction of all ties, less the fraction of all load that would be too much
/// there. Up to 256 parts the sum of the values is the greatest possible, O(parts^3); for more, pairs are
/// taken by descending value, O(objects + pairs log pairs). Source of the assignment: Jonker and Volgenant,
/// "A shortest augmenting path algorithm for dense and sparse linear assignment problems", 1987.
Partition relabel(const LDStats& stats, const FreeObjects& free, const RankTargets& targets,
                  const Partition& parts);

}  // namespace plimsoll::balance
