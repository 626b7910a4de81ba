#pragma once

#include <mpi.h>

#include <string>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/lifecycle/options.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the hint for logs that are kept.
std::string how_to_merge(const Options& options);

/// Collects the logs of all ranks on rank 0, which writes the files of the profile and reports them on
/// stderr. Then removes the logs. Collective. The recorder must be finished; it is null if this rank recorded
/// nothing.
void collect_logs(MPI_Comm communicator, const Options& options, const collectives::Recorder* recorder);

}  // namespace plimsoll::interpose
