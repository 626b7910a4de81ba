#pragma once

#include <mpi.h>

#include <plimsoll/support/version.hpp>

/// Functions that each preloaded library defines. The wrappers of MPI's names that all these libraries
/// intercept (src/mpi/preloaded/environment_names.cpp) call them. If MPI implements one of the names with
/// another, only the outermost call counts.
namespace plimsoll::PLIMSOLL_ABI::mpi::hooks {

/// Runs after MPI_Init or MPI_Init_thread has succeeded. Collective.
void after_mpi_init() noexcept;

/// Handles MPI_Pcontrol: 0 pauses, 1 and above resume, and levels below 0 do nothing. MPI defines level 2 as
/// flushing, but no data ever need to be flushed.
void pcontrol(int level) noexcept;

/// Runs before MPI_Request_free frees a request.
void before_request_free(MPI_Request request) noexcept;

}  // namespace plimsoll::mpi::hooks
