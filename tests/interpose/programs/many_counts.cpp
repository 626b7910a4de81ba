// usage: many_counts BYTES
// Makes 800 collective calls with different counts, which need 100 KiB in the log of a rank. After MPI_Init,
// files cannot become larger than BYTES, as on a full disk.
#include <mpi.h>
#include <sys/resource.h>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const rlim_t bytes = std::strtoull(argv[1], nullptr, 10);
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr int calls = 800;
  const std::vector<char> sent(calls);
  std::vector<char> received(calls);
  const std::vector<int> displacements(size);
  for (int call = 0; call < calls; ++call) {
    const std::vector<int> counts(size, call);
    MPI_Alltoallv(sent.data(), counts.data(), displacements.data(), MPI_CHAR, received.data(), counts.data(),
                  displacements.data(), MPI_CHAR, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
