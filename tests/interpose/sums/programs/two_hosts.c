/* Library that is preloaded into a program: rank 0 runs as if on host "node0", and all other ranks as if on
 * "node1", whose clock is 1 s ahead and gains another 10 ms per s.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int host(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return rank != NULL && atoi(rank) > 0;
}

int gethostname(char* name, size_t size) {
  snprintf(name, size, "node%d", host());
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*next)(clockid_t, struct timespec*);
  static long long begin_ns;
  if (next == NULL) next = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int status = next(clock, time);
  if (status != 0 || clock != CLOCK_MONOTONIC || !host()) return status;
  long long now_ns = time->tv_sec * 1000000000LL + time->tv_nsec;
  if (begin_ns == 0) begin_ns = now_ns;
  now_ns += 1000000000LL + (now_ns - begin_ns) / 100;
  time->tv_sec = now_ns / 1000000000LL;
  time->tv_nsec = now_ns % 1000000000LL;
  return 0;
}

int PMPI_Comm_split_type(MPI_Comm communicator, int type, int key, MPI_Info info, MPI_Comm* part) {
  (void)info;
  return PMPI_Comm_split(communicator, type == MPI_COMM_TYPE_SHARED ? host() : MPI_UNDEFINED, key, part);
}
