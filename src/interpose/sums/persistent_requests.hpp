#pragma once

#include <mpi.h>

#include "interpose/sums/transfer.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Remembers the data that each start of a persistent request transfers. Throws std::bad_alloc.
void remember_request(MPI_Request request, const Transfer& transfer);
void forget_request(MPI_Request request);

/// Returns the data that a start of the request transfers; none if they are unknown.
Transfer transfer_of_start(MPI_Request request);

}  // namespace plimsoll::interpose
