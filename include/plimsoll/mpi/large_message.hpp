#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::inline v0_1::mpi {

/// Bytes of one MPI message at most: counts of MPI-3 are 32-bit integers.
inline constexpr std::size_t max_piece_bytes = std::size_t{1} << 30;

/// Sends any number of bytes, beyond `piece_bytes` in pieces of that size; it must be the same on both sides.
/// May wait for the receiver, as MPI_Send may. All functions here throw Error: system if MPI fails, usage if
/// `piece_bytes` is 0 or above max_piece_bytes.
void send(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
          std::size_t piece_bytes = max_piece_bytes);

/// Receives what one send() sent. `from` may be MPI_ANY_SOURCE and `tag` MPI_ANY_TAG.
std::vector<std::byte> receive(const Communicator& communicator, int from, int tag,
                               std::size_t piece_bytes = max_piece_bytes);

/// Collective: the bytes of `root` into `bytes`, of the same size on all ranks.
void broadcast(const Communicator& communicator, std::span<std::byte> bytes, int root,
               std::size_t piece_bytes = max_piece_bytes);

}  // namespace plimsoll::mpi
