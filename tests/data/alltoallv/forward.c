// The program whose profile is in forward/: rank r sends (i - r) x base elements to each rank i above it.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static void exchange(MPI_Comm comm, MPI_Datatype type, int base, int repeats) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int send_counts[6], send_begins[6], recv_counts[6], recv_begins[6];
  int sent = 0, received = 0;
  for (int i = 0; i < size; ++i) {
    send_counts[i] = i > rank ? base * (i - rank) : 0;
    send_begins[i] = sent;
    sent += send_counts[i];
    recv_counts[i] = rank > i ? base * (rank - i) : 0;
    recv_begins[i] = received;
    received += recv_counts[i];
  }
  char* to_send = calloc(sent + 1, 8);
  char* to_receive = calloc(received + 1, 8);
  for (int k = 0; k < repeats; ++k)
    MPI_Alltoallv(to_send, send_counts, send_begins, type, to_receive, recv_counts, recv_begins, type, comm);
  free(to_send);
  free(to_receive);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exchange(MPI_COMM_WORLD, MPI_INT, 2, 3);
  exchange(MPI_COMM_WORLD, MPI_DOUBLE, 1, 1);
  if (rank == 2) usleep(3000);
  exchange(MPI_COMM_WORLD, MPI_INT, 2, 1);
  exchange(MPI_COMM_WORLD, MPI_INT, 0, 1);
  MPI_Comm halves;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 3, 0, &halves);
  exchange(halves, MPI_INT, 5, 2);
  MPI_Comm_free(&halves);
  MPI_Finalize();
}
