#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/partition_graph.hpp>

namespace plimsoll::inline v0_1::balance {

/// The migratable objects as vertices: their loads, what they say to each other, and what ties them to ranks.
struct FreeObjects {
  /// What an object says to the sentinels of a rank, or to the rank itself.
  struct Tie {
    std::int32_t rank = 0;
    std::int32_t weight = 0;  ///< as of an edge
  };

  std::vector<std::uint32_t> object;  ///< of each vertex, its index in the LDStats
  std::vector<double> loads;          ///< of each vertex in each dimension, in the dimension's unit
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

/// An edge weighs its bytes and one more for each message, both directions together; weights are scaled to
/// integers, at least 1. A vertex weighs its load, but no more than `heaviest` of the dimension, since
/// an object as heavy as a rank's room takes a rank of its own and no more. O(objects + edges).
/// Throws Error (bad_input) for an edge to what does not exist or with bytes or messages that are negative or
/// not finite, (usage) for more than 2^30 ends of edges.
FreeObjects free_objects(const LDStats& stats, std::span<const double> heaviest);

/// Load of an object in a dimension: 0 is walltime, then those of more_loads.
double load_of(const LDStats& stats, std::size_t object, std::size_t dimension);

}  // namespace plimsoll::balance
