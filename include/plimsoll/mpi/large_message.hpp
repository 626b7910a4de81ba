#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Maximum bytes of one MPI message, because counts of MPI-3 are 32-bit integers.
inline constexpr std::size_t max_piece_bytes = std::size_t{1} << 30;

/// Sends any number of bytes. Data longer than `piece_bytes` are sent in pieces of that size; sender and
/// receiver must use the same `piece_bytes`. May wait for the receiver, like MPI_Send. All functions in this
/// file throw Error: system if MPI fails, usage if `piece_bytes` is 0 or above max_piece_bytes.
void send(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
          std::size_t piece_bytes = max_piece_bytes);

/// Receives the data of one send(). `from` may be MPI_ANY_SOURCE and `tag` MPI_ANY_TAG.
std::vector<std::byte> receive(const Communicator& communicator, int from, int tag,
                               std::size_t piece_bytes = max_piece_bytes);

/// Sends data whose size the receiver knows. Otherwise like send().
void send_content(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
                  std::size_t piece_bytes = max_piece_bytes);
/// Receives the data of one send_content() into `bytes`, which have their size. Otherwise like receive().
void receive_content(const Communicator& communicator, std::span<std::byte> bytes, int from, int tag,
                     std::size_t piece_bytes = max_piece_bytes);

/// Broadcasts the bytes of `root` into `bytes`, which has the same size on all ranks. Collective.
void broadcast(const Communicator& communicator, std::span<std::byte> bytes, int root,
               std::size_t piece_bytes = max_piece_bytes);

}  // namespace plimsoll::mpi
