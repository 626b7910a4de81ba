#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

// Both functions transfer any number of bytes and keep the data of only one rank in memory on `root`: a rank
// sends its data only when the other side has memory for them. If a callback throws or memory is exhausted,
// the communication is finished first, then the error is thrown on that rank alone. Callers whose ranks must
// all know call agree() or agreed() (error_agreement.hpp).

/// Calls `consume(rank, bytes)` on `root` with the bytes of each rank, in the order of ranks. Collective. If
/// `consume` throws, it is not called for the ranks that follow, and the exception is rethrown on `root`. The
/// bytes are valid until `consume` returns.
void gather(const Communicator& communicator, std::span<const std::byte> mine, int root,
            const std::function<void(int rank, std::span<const std::byte> bytes)>& consume);

/// Returns on each rank the bytes that `part_of(rank)` returns on `root`. Collective. `root` calls it once
/// per rank, in the order of ranks. If it throws, the ranks that follow receive no bytes, and the exception
/// is rethrown on `root`.
std::vector<std::byte> scatter(const Communicator& communicator,
                               const std::function<std::vector<std::byte>(int rank)>& part_of, int root);

}  // namespace plimsoll::mpi
