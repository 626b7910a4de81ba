// usage: rotating_delays CALLS
// In each call of MPI_Allreduce, and then of MPI_Barrier, another rank arrives 5 ms after all others.
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int calls = std::atoi(argv[1]);
  const auto delay = [&](int call) {
    if (call % ranks == rank) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  for (int call = 0; call < calls; ++call) {
    delay(call);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  for (int call = 0; call < calls; ++call) {
    delay(call);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
