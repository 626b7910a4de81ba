#pragma once

namespace plimsoll::inline v0_1::mpi_calls {

/// Starts recording after MPI_Init or MPI_Init_thread has returned. Collective. MPI_Finalize ends it and
/// writes the file.
void after_mpi_init() noexcept;

/// Handles MPI_Pcontrol: 0 pauses, 1 and above resume, and levels below 0 do nothing. The recorded time
/// excludes pauses.
void pcontrol(int level) noexcept;

}  // namespace plimsoll::mpi_calls
