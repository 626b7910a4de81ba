/* Runs one exchange on 4 ranks, selected by the argument. The files that the collective
   profiler writes for these exchanges are known (data/README.md). Received data are checked to detect a
   profiler that disturbs the exchange. golden_cases.F90 does the same in Fortran. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_ranks = 16, max_bytes = 300 };

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "golden_cases: wrong result: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

static int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static void place_one_after_another(const int* counts, int* displacements, int size) {
  displacements[0] = 0;
  for (int k = 1; k < size; ++k) displacements[k] = displacements[k - 1] + counts[k - 1];
}

/* Rank r sends i elements to rank i, and receives r elements from each rank. */
static void send_i_to_rank_i(MPI_Comm comm) {
  const int size = size_of(comm), rank = rank_in(comm);
  int send_counts[max_ranks], recv_counts[max_ranks], send_at[max_ranks], recv_at[max_ranks];
  int sent[max_ranks * max_ranks], received[max_ranks * max_ranks];
  for (int i = 0; i < size; ++i) {
    send_counts[i] = i;
    recv_counts[i] = rank;
  }
  place_one_after_another(send_counts, send_at, size);
  place_one_after_another(recv_counts, recv_at, size);
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < i; ++k) sent[send_at[i] + k] = 100 * rank + 10 * i + k;
  MPI_Alltoallv(sent, send_counts, send_at, MPI_INT, received, recv_counts, recv_at, MPI_INT, comm);
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < rank; ++k) check(received[recv_at[i] + k] == 100 * i + 10 * rank + k, "alltoallv");
}

/* Sends `send_counts[i]` bytes to rank i and receives `recv_counts[i]` bytes from it. */
static void exchange_bytes(MPI_Comm comm, const int* send_counts, const int* recv_counts) {
  static char sent[max_ranks * max_bytes], received[max_ranks * max_bytes];
  const int size = size_of(comm);
  int send_at[max_ranks], recv_at[max_ranks];
  place_one_after_another(send_counts, send_at, size);
  place_one_after_another(recv_counts, recv_at, size);
  memset(sent, rank_in(comm) + 1, sizeof sent);
  memset(received, 0, sizeof received);
  MPI_Alltoallv(sent, send_counts, send_at, MPI_BYTE, received, recv_counts, recv_at, MPI_BYTE, comm);
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < recv_counts[i]; ++k) check(received[recv_at[i] + k] == i + 1, "bytes");
}

static void exchange_equal_bytes(MPI_Comm comm, int bytes) {
  int counts[max_ranks];
  for (int i = 0; i < size_of(comm); ++i) counts[i] = bytes;
  exchange_bytes(comm, counts, counts);
}

static void alltoallv(void) {
  send_i_to_rank_i(MPI_COMM_WORLD);
}

static void multi(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) / 2, 0, &half);
  send_i_to_rank_i(half);
  send_i_to_rank_i(MPI_COMM_WORLD);
  send_i_to_rank_i(half);
  MPI_Comm_free(&half);
}

static void types(void) {
  const int size = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  int counts[max_ranks], at[max_ranks], integers[max_ranks], received_integers[max_ranks];
  double reals[max_ranks], received_reals[max_ranks];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    at[i] = i;
    integers[i] = 10 * rank + i;
    reals[i] = rank + 0.125 * i;
  }
  MPI_Alltoallv(integers, counts, at, MPI_INT, received_integers, counts, at, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(reals, counts, at, MPI_DOUBLE, received_reals, counts, at, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    check(received_integers[i] == 10 * i + rank, "integers");
    check(received_reals[i] == i + 0.125 * rank, "reals");
  }
}

static void sparse(void) {
  const int is_first = rank_in(MPI_COMM_WORLD) == 0;
  int none[max_ranks] = {0}, from_first[max_ranks] = {10}, all[max_ranks];
  for (int i = 0; i < max_ranks; ++i) all[i] = 10;
  exchange_bytes(MPI_COMM_WORLD, is_first ? all : none, from_first);
  exchange_bytes(MPI_COMM_WORLD, from_first, is_first ? all : none);
  exchange_bytes(MPI_COMM_WORLD, none, none);
  exchange_equal_bytes(MPI_COMM_WORLD, 300);
}

static void reversed(void) {
  MPI_Comm reverse;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &reverse);
  exchange_equal_bytes(reverse, 1);
  exchange_equal_bytes(MPI_COMM_WORLD, 2);
  MPI_Comm_free(&reverse);
}

static void allgatherv(void) {
  const int size = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (int count = 1; count <= 2; ++count) {
    int counts[max_ranks], at[max_ranks], received[2 * max_ranks];
    const int sent[2] = {10 * rank, 10 * rank + 1};
    for (int i = 0; i < size; ++i) {
      counts[i] = count;
      at[i] = count * i;
    }
    MPI_Allgatherv(sent, count, MPI_INT, received, counts, at, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < count; ++k) check(received[count * i + k] == 10 * i + k, "allgatherv");
  }
}

static void alltoall(void) {
  const int size = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  char sent[8 * max_ranks], received[8 * max_ranks];
  for (int k = 0; k < 8 * size; ++k) sent[k] = (char)(16 * rank + k / 8);
  MPI_Alltoall(sent, 8, MPI_BYTE, received, 8, MPI_BYTE, MPI_COMM_WORLD);
  for (int k = 0; k < 8 * size; ++k) check(received[k] == (char)(16 * (k / 8) + rank), "alltoall");
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"alltoallv", alltoallv}, {"multi", multi},       {"types", types},
               {"sparse", sparse},       {"reversed", reversed}, {"allgatherv", allgatherv},
               {"alltoall", alltoall}};
  MPI_Init(&argc, &argv);
  int found = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    if (argc == 2 && strcmp(argv[1], cases[k].name) == 0) {
      cases[k].run();
      found = 1;
    }
  }
  check(found, "unknown case");
  MPI_Finalize();
  return 0;
}
