// usage: exchange BYTES CALLS
// Repeatedly works on some data and exchanges them, BYTES with each rank. Prints the seconds between MPI_Init
// and MPI_Finalize.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto doubles = std::atoi(argv[1]) / static_cast<int>(sizeof(double));
  const std::int64_t calls = std::atoll(argv[2]);
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> mine(static_cast<std::size_t>(doubles * ranks), rank);
  std::vector<double> given(mine.size());
  const std::vector<int> counts(static_cast<std::size_t>(ranks), doubles);
  std::vector<int> displacements(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
  const auto exchange = [&] {
    MPI_Alltoallv(mine.data(), counts.data(), displacements.data(), MPI_DOUBLE, given.data(), counts.data(),
                  displacements.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = 0.5 * (mine[k] + given[k]);
  };
  exchange();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (std::int64_t call = 0; call < calls; ++call) exchange();
  if (rank == 0) std::printf("%g\n", MPI_Wtime() - begin);
  MPI_Finalize();
}
