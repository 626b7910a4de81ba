// Calls MPI at lines of which the compiler makes several calls, and at a line with several functions' calls.
#include <mpi.h>

volatile int synchronised = 0;

// Two calls of one function at its only line.
__attribute__((noinline)) static void synchronise_twice(void) { MPI_Barrier(MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_WORLD); synchronised = 1; }

__attribute__((noinline)) static double sum_of(double* values, int count) {
  double sum = 0;
#pragma GCC unroll 4
  for (int k = 0; k < count; ++k) {
    MPI_Allreduce(MPI_IN_PLACE, &values[k], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // unrolled
    sum += values[k];
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const double sum = sum_of(values, 8);
  synchronise_twice();
  MPI_Finalize();
  return sum > 0 ? 0 : 1;
}
