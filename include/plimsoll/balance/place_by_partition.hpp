#pragma once

#include <functional>

#include <plimsoll/balance/partition_graph.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Partitions a graph into parts with the given target weights. The last argument is the part of each
/// vertex's current rank, or any part if that rank has none.
using Partitioner =
    std::function<Partition(const PartitionGraph&, const PartShares&, const Partition& present)>;

/// Places objects by graph partitioning. All strategies based on a partitioner share this function.
///
/// Builds a graph of the migratable objects. The target weight of an available rank is its share minus its
/// non-migratable objects and background load. After partitioning, assigns each part to the rank that it
/// overlaps most. If the partitioner missed `tolerance`, restores the balance. Then migrates single objects
/// to reduce the traffic. Writes to_proc. If the score is not better, writes from_proc, unless objects are on
/// unavailable ranks. Balances walltime and, with `all_dimensions`, more_loads.
void place_by_partition(LDStats& stats, const Strategy& strategy, double tolerance, bool all_dimensions,
                        const Partitioner& partition);

/// Returns the score that strategies with place_by_partition() minimise: communication_score. With
/// `all_dimensions`, `first` is the maximum excess over all dimensions.
Score partition_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance,
                      bool all_dimensions);

/// Returns the description of the parameter `tolerance` of strategies that are based on a partitioner.
ParameterSpec partition_tolerance();

}  // namespace plimsoll::balance
