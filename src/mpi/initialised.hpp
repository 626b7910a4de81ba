#pragma once

namespace plimsoll::inline v0_1::mpi {

/// Whether MPI has been initialised; stays true when it is finalised.
bool initialised();
bool finalised();

/// Throws Error (usage) before MPI_Init and after MPI_Finalize, where most calls would end the program.
void expect_running();

}  // namespace plimsoll::mpi
