#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/place_by_partition.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migratable objects as vertices of a graph: their loads, their communication, and their ties to ranks.
struct FreeObjects {
  /// Communication of an object with one rank: with its non-migratable objects, or with the rank itself.
  struct Tie {
    std::int32_t rank = 0;
    std::int32_t weight = 0;  ///< weight, scaled like an edge's
  };

  std::vector<std::uint32_t> object;  ///< index of each vertex in the LDStats
  std::vector<double> loads;          ///< loads per vertex and dimension, in the dimension's unit
  PartitionGraph graph;
  std::vector<std::int32_t> ties_begin;
  std::vector<Tie> ties;

  std::int32_t n_vertices() const { return graph.n_vertices(); }
  std::span<const double> load(std::size_t vertex) const {
    const auto n_dimensions = static_cast<std::size_t>(graph.n_dimensions);
    return std::span(loads).subspan(vertex * n_dimensions, n_dimensions);
  }
  std::span<const Tie> ties_of(std::size_t vertex) const {
    return std::span(ties).subspan(static_cast<std::size_t>(ties_begin[vertex]),
                                   static_cast<std::size_t>(ties_begin[vertex + 1] - ties_begin[vertex]));
  }
};

/// Builds the graph. The weight of an edge is its bytes plus 1 per message, summed over both directions,
/// scaled to integers >= 1. The weight of a vertex is its load, but at most `heaviest` of the dimension, so
/// that a heavy object fills one rank and no more. Cost: O(objects + edges). Throws Error (bad_input) for an
/// edge with a missing end, or with bytes or messages that are negative or not finite. Throws Error (usage)
/// for more than 2^30 ends of edges.
FreeObjects free_objects(const LDStats& stats, std::span<const double> heaviest);

/// Returns the load of an object in a dimension: 0 is walltime, followed by more_loads.
double load_of(const LDStats& stats, std::size_t object, std::size_t dimension);

/// Ranks that get parts, and the share of each, in all load dimensions.
struct RankTargets {
  std::vector<std::int32_t> ranks;
  PartShares shares;  ///< share of each of these ranks
  /// Room and capacity of each of these ranks in each dimension, at speed 1. The room is the rank's share of
  /// the load. The capacity is the maximum load that keeps the maximum finish time within the tolerance or,
  /// if that is more, the lower bound.
  std::vector<double> rooms;
  std::vector<double> capacities;
  /// Cap for the load of an object in each dimension: the maximum room over the ranks.
  std::vector<double> heaviest;
  double latest_finish_s = 0;  ///< latest finish time that the capacities allow

  std::int32_t n_parts() const { return static_cast<std::int32_t>(ranks.size()); }
};

/// Computes the rooms so that all ranks with a share finish at the same time. Unavailable ranks get no share.
/// Ranks whose non-migratable objects and background load take longer than that get no share either. The
/// loads are the first `n_dimensions`: walltime, then more_loads, in which all ranks have the same speed.
/// Cost: O(objects + ranks log ranks).
RankTargets rank_targets(const LDStats& stats, const ProcArray& procs, double tolerance,
                         std::size_t n_dimensions);

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
