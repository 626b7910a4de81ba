#pragma once

#include <plimsoll/balance/place_by_partition.hpp>

#include "balance/partition/free_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Renumbers the parts (as indices of targets.ranks), so that part i contains many objects that are on rank i
/// now.
///
/// The value of placing one part on one rank is a + 2 b - 2 c. Here a is the fraction of all objects (or of
/// their migration bytes, if known) that is already there; b is the fraction of all ties, and c is the
/// fraction of all load that exceeds the rank's room. Up to 256 parts, the sum of the values is maximal, in
/// O(parts^3). For more parts, pairs are accepted in descending order of value, in O(objects + pairs log
/// pairs). Source of the assignment: Jonker and Volgenant, "A shortest augmenting path algorithm for dense
/// and sparse linear assignment problems", 1987.
Partition relabel(const LDStats& stats, const FreeObjects& free, const RankTargets& targets,
                  const Partition& parts);

}  // namespace plimsoll::balance
