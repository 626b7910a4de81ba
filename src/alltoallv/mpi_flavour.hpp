#pragma once

namespace plimsoll::alltoallv {

/// Whether the program uses the MPI that this library is built for; if not, says so on stderr, once a run.
/// With another one nothing may be called: its handles are different.
bool is_the_programs_mpi();

}  // namespace plimsoll::alltoallv
