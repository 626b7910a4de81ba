// usage: any_message
// Runs on an even number of ranks. The first and the second half of the ranks are separate programs, as with
// mpirun -n 2 a : -n 2 b, and each makes a collective call of its own. Before, each rank accepts any message
// while a nonblocking collective on MPI_COMM_WORLD is in progress. Aborts if a rank gets an unexpected
// message or sum.
#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

void expect(bool condition, const char* text) {
  if (condition) return;
  std::fprintf(stderr, "unexpected %s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void accept_any_message(int rank, int ranks) {
  constexpr int tag = 7;
  const int to = (rank + 1) % ranks;
  const int from = (rank + ranks - 1) % ranks;
  int received = 0;
  int sum = 0;
  MPI_Request requests[3];
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[2]);
  MPI_Status statuses[3];
  MPI_Waitall(3, requests, statuses);
  expect(received == from && statuses[0].MPI_SOURCE == from && statuses[0].MPI_TAG == tag, "message");
  expect(sum == ranks * (ranks - 1) / 2, "sum");
}

void exchange(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const std::vector<int> counts(size, 1);
  std::vector<int> displacements(size);
  std::iota(displacements.begin(), displacements.end(), 0);
  const std::vector<int> sent(size, 5);
  std::vector<int> received(size);
  MPI_Alltoallv(sent.data(), counts.data(), displacements.data(), MPI_INT, received.data(), counts.data(),
                displacements.data(), MPI_INT, comm);
  expect(received == sent, "data");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  accept_any_message(rank, ranks);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2 ? 0 : 1, rank, &half);
  exchange(half);
  exchange(MPI_COMM_WORLD);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
