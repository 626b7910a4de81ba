#pragma once

#include "interpose/lifecycle/run.hpp"

/// The sink of sums over MPI calls: each thread adds up its calls, and rank 0 writes the sums of all ranks in
/// MPI_Finalize.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Prepares rank 0's file. Returns whether calls are recorded: on all ranks, or on none. Collective; the run
/// must communicate.
bool start_sums(const Run& run);

/// Excludes pauses from the recorded time.
void pause_sums(bool paused) noexcept;

/// Writes the file in MPI_Finalize, if start_sums() returned true. `recorded`: whether this rank recorded
/// calls until now. Collective.
void finish_sums(const Run& run, bool recorded) noexcept;

/// Ends the recorded time in exit() without MPI_Finalize. The file of this rank keeps the sums.
void abandon_sums() noexcept;

/// Forgets the file of this rank in a child made by fork().
void leave_sums_to_parent() noexcept;

}  // namespace plimsoll::interpose
