#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Returns whether MPI has been initialised; remains true after MPI is finalised.
bool initialised();
bool finalised();

/// Throws Error (usage) before MPI_Init and after MPI_Finalize, when most calls would end the program.
void expect_running();

}  // namespace plimsoll::mpi
