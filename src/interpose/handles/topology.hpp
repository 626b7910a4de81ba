#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Ranks with which this rank exchanges data in neighbourhood collectives, in MPI's order. Entries beyond the
/// edges of a grid are MPI_PROC_NULL.
struct Neighbors {
  std::vector<int> sources;
  std::vector<int> destinations;
};

/// Returns the neighbours of this rank in the topology of a communicator; none if it has no topology. Calls
/// only local functions of MPI, by their PMPI names.
inline Neighbors neighbors_of(MPI_Comm communicator) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(communicator, &topology);
  Neighbors neighbors;
  auto& [sources, destinations] = neighbors;
  if (topology == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(communicator, &dimensions);
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      int below = MPI_PROC_NULL;
      int above = MPI_PROC_NULL;
      PMPI_Cart_shift(communicator, dimension, 1, &below, &above);
      sources.insert(sources.end(), {below, above});
    }
    destinations = sources;
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    int degree = 0;
    PMPI_Comm_rank(communicator, &rank);
    PMPI_Graph_neighbors_count(communicator, rank, &degree);
    sources.resize(static_cast<std::size_t>(degree));
    PMPI_Graph_neighbors(communicator, rank, degree, sources.data());
    destinations = sources;
  } else if (topology == MPI_DIST_GRAPH) {
    int in_degree = 0;
    int out_degree = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(communicator, &in_degree, &out_degree, &weighted);
    sources.resize(static_cast<std::size_t>(in_degree));
    destinations.resize(static_cast<std::size_t>(out_degree));
    std::vector<int> weights(std::max(sources.size(), destinations.size()));
    int* const weights_or_none = weighted ? weights.data() : MPI_UNWEIGHTED;
    PMPI_Dist_graph_neighbors(communicator, in_degree, sources.data(), weights_or_none, out_degree,
                              destinations.data(), weights_or_none);
  }
  return neighbors;
}

}  // namespace plimsoll::interpose
