/* Example of a program that does not use Plimsoll. Each rank exchanges 20,000 bytes with the rank half the ranks away.
 * After every third of these exchanges, it exchanges 64 bytes with every rank. Rank 1 is slow. To see which ranks send
 * how much to which others, and which ranks wait for which:
 *
 *   mpicc distant_exchange.c -o distant_exchange
 *   plimsoll profile --record counts,late-arrival,locations -- mpirun -n 8 ./distant_exchange
 *   plimsoll collectives summary plimsoll-profile
 *   plimsoll collectives reorder plimsoll-profile --nodes 2
 */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const int partner = (rank + ranks / 2) % ranks;
  int* counts = calloc((size_t)ranks, sizeof *counts);
  int* offsets = calloc((size_t)ranks, sizeof *offsets);
  char* sent = calloc(20000 + 64 * (size_t)ranks, 1);
  char* received = calloc(20000 + 64 * (size_t)ranks, 1);

  for (int call = 0; call < 200; ++call) {
    for (int peer = 0; peer < ranks; ++peer) {
      counts[peer] = call % 4 == 3 ? 64 : peer == partner ? 20000 : 0;
      offsets[peer] = peer == 0 ? 0 : offsets[peer - 1] + counts[peer - 1];
    }
    if (rank == 1) usleep(2000); /* simulates more work than on the other ranks */
    MPI_Alltoallv(sent, counts, offsets, MPI_BYTE, received, counts, offsets, MPI_BYTE, MPI_COMM_WORLD);
  }

  free(received);
  free(sent);
  free(offsets);
  free(counts);
  MPI_Finalize();
  return 0;
}
