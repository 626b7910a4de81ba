#pragma once

#include <string_view>

namespace plimsoll::alltoallv {

class Run;

/// The run of this process; null before MPI_Init and after MPI_Finalize, and in forked processes.
Run* current_run();

/// Nothing is recorded any more on this rank, for a reason that is said on stderr.
void stop_recording(std::string_view reason) noexcept;

}  // namespace plimsoll::alltoallv
