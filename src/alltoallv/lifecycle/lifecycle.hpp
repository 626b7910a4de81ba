#pragma once

#include <string_view>

namespace plimsoll::alltoallv {

class ProcessRecording;

/// What records this process; null before MPI_Init and after MPI_Finalize, and in forked processes.
ProcessRecording* current_recording();

/// Nothing is recorded any more on this rank, for a reason that is said on stderr.
void stop_recording(std::string_view reason) noexcept;

}  // namespace plimsoll::alltoallv
