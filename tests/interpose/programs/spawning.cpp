// usage: spawning
// Each rank makes a collective call on MPI_COMM_WORLD. The first program spawns two ranks, which do the same.
#include <mpi.h>

#include <numeric>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  MPI_Comm spawned = parent;
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &spawned,
                   MPI_ERRCODES_IGNORE);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<int> counts(size, 1);
  std::vector<int> displacements(size);
  std::iota(displacements.begin(), displacements.end(), 0);
  std::vector<int> received(size);
  MPI_Alltoallv(counts.data(), counts.data(), displacements.data(), MPI_INT, received.data(), counts.data(),
                displacements.data(), MPI_INT, MPI_COMM_WORLD);
  MPI_Comm_disconnect(&spawned);
  MPI_Finalize();
  return 0;
}
