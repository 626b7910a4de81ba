#pragma once

#include <mpi.h>

#include <plimsoll/collectives/recorder.hpp>

#include "alltoallv/lifecycle/options.hpp"

namespace plimsoll::inline v0_1::alltoallv {

/// Collects the logs of all ranks on rank 0, which makes files of them and reports on stderr what it wrote;
/// then removes the logs. Collective. The recorder is finished, or null if this rank recorded nothing.
void collect_logs(MPI_Comm communicator, const Options& options, const collectives::Recorder* recorder);

}  // namespace plimsoll::alltoallv
