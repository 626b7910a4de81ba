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

}  // namespace plimsoll::balance
