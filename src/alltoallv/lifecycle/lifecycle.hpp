#pragma once

#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::alltoallv {

class ProcessRecording;

/// Returns the recording of this process; null before MPI_Init and after MPI_Finalize, and in forked
/// processes.
ProcessRecording* current_recording();

/// Stops recording on this rank, and reports the reason on stderr.
void stop_recording(std::string_view reason) noexcept;

}  // namespace plimsoll::alltoallv
