#pragma once

#include <functional>

#include <plimsoll/balance/partition_graph.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::inline v0_1::balance {

/// Cuts a graph in parts of the shares given. The last argument is the part of the rank on which each vertex
/// is now, or any part if that rank gets none.
using Partitioner =
    std::function<Partition(const PartitionGraph&, const PartShares&, const Partition& present)>;

/// What all strategies that cut the object graph have in common, around the cut itself.
///
/// Makes a graph of the migratable objects, with shares that are what sentinels and background leave of each
/// available rank; has it cut; labels the parts by the ranks that they overlap most; restores the balance
/// where the partitioner missed `tolerance`, and moves single objects to lower the traffic. Writes to_proc;
/// from_proc if the result's score is not better, unless objects have to leave a rank.
/// Balances walltime and, with `all_dimensions`, more_loads.
void place_by_partition(LDStats& stats, const Strategy& strategy, double tolerance, bool all_dimensions,
                        const Partitioner& partition);

/// What they minimise: communication_score, of which `first` is the greatest excess of all dimensions with
/// `all_dimensions`.
Score partition_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance,
                      bool all_dimensions);

/// The parameter `tolerance` that they have.
ParameterSpec partition_tolerance();

}  // namespace plimsoll::balance
