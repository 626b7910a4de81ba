// usage: exchanged_messages message | collective, on 2 ranks, with libplimsoll-profiler preloaded
// Rank 0 prints the time in ns of one message of 4 bytes, sent to and fro, or of one MPI_Allreduce of 4
// bytes: own_ns by the PMPI names, which are not recorded, and added_ns, by which the MPI names take longer.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string_view>

namespace {

constexpr int calls = 10'000;
constexpr int turns = 30;
int rank = 0;
int value = 0;
int sum = 0;

template <class Send, class Receive>
void to_and_fro(Send&& send, Receive&& receive) {
  if (rank == 0) {
    send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    receive(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    receive(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
}

/// Lowers `least_ns` to the time of one exchange if that is less.
template <class Exchange>
void measure(double& least_ns, double exchanges_per_call, Exchange&& exchange) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = PMPI_Wtime();
  for (int k = 0; k < calls; ++k) exchange();
  least_ns = std::min(least_ns, 1e9 * (PMPI_Wtime() - begin_s) / (calls * exchanges_per_call));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool is_message = std::string_view(argv[1]) == "message";
  double own_ns = std::numeric_limits<double>::infinity();
  double recorded_ns = own_ns;
  for (int turn = 0; turn < turns; ++turn) {
    if (is_message) {
      measure(own_ns, 2, [] { to_and_fro(PMPI_Send, PMPI_Recv); });
      measure(recorded_ns, 2, [] { to_and_fro(MPI_Send, MPI_Recv); });
    } else {
      measure(own_ns, 1, [] { PMPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
      measure(recorded_ns, 1, [] { MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
    }
  }
  if (rank == 0) std::printf("own_ns %g\nadded_ns %g\n", own_ns, recorded_ns - own_ns);
  MPI_Finalize();
}
