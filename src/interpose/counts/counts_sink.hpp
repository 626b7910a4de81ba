#pragma once

#include <atomic>

#include "interpose/counts/process_recording.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/lifecycle/run.hpp"

/// The sink of counts of collectives: each rank writes a log, and rank 0 merges the logs in MPI_Finalize.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Creates this rank's log. Returns whether this rank records. Collective if the run communicates; does not
/// throw, because the other ranks wait.
bool start_counts(const Run& run) noexcept;

/// Ends the logs in MPI_Finalize, and writes the files of the profile. Collective if the run communicates.
void finish_counts(const Run& run) noexcept;

/// Ends the log of a process that ends without MPI_Finalize. Returns whether it has one.
bool abandon_counts() noexcept;

/// Stops using the log in a forked child, because it belongs to the parent.
void leave_counts_to_parent() noexcept;

namespace detail {
/// The recording of this process; null before MPI_Init and after MPI_Finalize, and in forked processes. It is
/// never freed because other threads may still use it.
inline std::atomic<ProcessRecording*> counts = nullptr;
}  // namespace detail

/// Calls a function with the recording. After an exception, no counts are recorded.
template <class Use>
void with_counts(Use&& use) {
  guarded(Sink::counts, [&] {
    if (ProcessRecording* const recording = detail::counts.load(std::memory_order_acquire)) use(*recording);
  });
}

}  // namespace plimsoll::interpose
