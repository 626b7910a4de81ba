#include "alltoallv/collection.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace plimsoll::alltoallv {

void collect(MPI_Comm communicator, const Options& options, const collectives::Recorder* recorder) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  if (rank == 0 && !options.quiet && recorder)
    std::fputs(
        fmt::format("plimsoll: {} calls recorded; for files of them, run: plimsoll collectives merge {}\n",
                    recorder->recorded_calls(), options.folder)
            .c_str(),
        stderr);
}

}  // namespace plimsoll::alltoallv
