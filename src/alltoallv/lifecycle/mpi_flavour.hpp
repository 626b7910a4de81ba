#pragma once

namespace plimsoll::inline v0_1::alltoallv {

/// Whether the program uses the MPI that this library is built for; if not, says so on stderr. With another
/// one nothing may be called: its handles are different. Those of MPICH pass through the library for Open MPI
/// unharmed; the other way round they do not, and the process ends.
bool is_the_programs_mpi();

}  // namespace plimsoll::alltoallv
