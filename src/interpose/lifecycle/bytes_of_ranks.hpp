#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Calls visit(rank, bytes) on rank 0 with the bytes of each rank, in the order of the ranks. Collective. A
/// rank sends when rank 0 is ready, which therefore needs memory for one rank only. Throws the first
/// exception of `visit` on rank 0 after all ranks have sent.
void for_bytes_of_ranks(MPI_Comm comm, const std::string& own,
                        const std::function<void(int rank, std::string_view bytes)>& visit);

}  // namespace plimsoll::interpose
