#pragma once

#include <mpi.h>

#include <plimsoll/support/version.hpp>

/// Functions that the wrappers of MPI's environment (wrappers/environment_names.cpp) call.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Address to which the program's call of MPI_Finalize returns; null if another tool kept it from this
/// library.
inline constinit const void* finalize_caller = nullptr;

/// Starts all sinks after MPI_Init or MPI_Init_thread has succeeded. Collective.
void after_mpi_init() noexcept;

/// Handles MPI_Pcontrol: 0 pauses, 1 and above resume, and levels below 0 do nothing. From level 2 on, the
/// program is in the region of this level until the next call. MPI defines level 2 as flushing, but no data
/// ever need to be flushed. Further arguments are not read, because nothing tells whether they were passed.
void pcontrol(int level) noexcept;

}  // namespace plimsoll::interpose
