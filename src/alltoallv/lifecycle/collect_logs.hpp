#pragma once

#include <mpi.h>

#include <plimsoll/collectives/recorder.hpp>

#include "alltoallv/lifecycle/options.hpp"

namespace plimsoll::alltoallv {

/// Makes files of the logs of all ranks, on rank 0, and removes the logs if that is done. Collective; the
/// recorder is finished, or null if there is none. Rank 0 says on stderr what there is, and where.
void collect_logs(MPI_Comm communicator, const Options& options, const collectives::Recorder* recorder);

}  // namespace plimsoll::alltoallv
