#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::mpi {

/// Bytes of one MPI message at most: counts of MPI-3 are 32-bit integers.
inline constexpr std::size_t max_piece_bytes = std::size_t{1} << 30;

/// Sends any number of bytes, beyond 2 GiB in pieces of `piece_bytes`. Both sides must use the same. Throws
/// Error (system) if MPI fails.
void send(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
          std::size_t piece_bytes = max_piece_bytes);

/// Receives what send() sent.
std::vector<std::byte> receive(const Communicator& communicator, int from, int tag,
                               std::size_t piece_bytes = max_piece_bytes);

/// Collective: the bytes of `root` into `bytes`, of the same size on all ranks.
void broadcast(const Communicator& communicator, std::span<std::byte> bytes, int root,
               std::size_t piece_bytes = max_piece_bytes);

}  // namespace plimsoll::mpi
