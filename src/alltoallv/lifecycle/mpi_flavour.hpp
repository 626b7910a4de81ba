#pragma once

namespace plimsoll::inline v0_1::alltoallv {

/// Returns whether the program uses the MPI that this library is built for; if not, prints a message on
/// stderr. With another MPI, no MPI function may be called, because its handles differ. MPICH handles pass
/// through the library for Open MPI unchanged. Open MPI handles do not pass through the library for MPICH, so
/// the process ends.
bool is_the_programs_mpi();

}  // namespace plimsoll::alltoallv
