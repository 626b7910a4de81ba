#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::collectives {

/// The number of peers of each rank in a signature's calls: the columns of its larger matrix, or the ranks of
/// its communicator where MPI has one count for all peers.
std::uint32_t peers(const Signature& signature);

/// Bytes of an element that a rank of the communicator sends or receives.
inline std::uint64_t type_size_of(const Side& side, std::uint64_t comm_rank) {
  return side.type_sizes.empty() ? side.type_size : side.type_sizes[comm_rank];
}

/// Calls function(row, ranks, peer, count) for each row of a side and each peer; `ranks` are those that share
/// the row. Where MPI has one count for all peers, each gets it. O(rows x peers).
template <class Function>
void for_each_count(const Signature& signature, const Side& side, Function&& function) {
  const CountMatrix& matrix = side.matrix;
  const std::uint32_t n_peers = peers(signature);
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    const auto counts = matrix.row(row);
    for (std::uint32_t peer = 0; peer < n_peers; ++peer)
      function(row, matrix.ranks[row], peer, counts.size() == 1 ? counts[0] : counts[peer]);
  }
}

}  // namespace plimsoll::collectives
