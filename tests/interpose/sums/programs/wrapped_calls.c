// Calls MPI through a wrapper, as codes with their own communication layer do: step() calls it 6 times, check()
// 9 times from two lines of main(), and a function that allocates a variable amount of its stack 7 times. The
// volatile variable keeps the compiler from replacing calls by jumps.
#include <mpi.h>

volatile double result = 0;

__attribute__((noinline)) static void sum_all(double value) {
  double sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  result = sum;
}

__attribute__((noinline)) static void step(int k) {
  // Called once per step.

  sum_all(k);
  result += 1;
}

__attribute__((noinline)) static void check(int k) {
  sum_all(-k);
  result += 2;
}

__attribute__((noinline)) static void fill(volatile double* values, int count) {
  for (int k = 0; k < count; ++k) values[k] = k;
}

__attribute__((noinline)) static void with_array(int count) {
  double values[count];
  fill(values, count);
  sum_all(values[count - 1]);
  result += values[0];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int k = 0; k < 6; ++k) {
    step(k);
    if (k % 2 == 0) check(k);
    check(k);
  }
  for (int k = 1; k <= 7; ++k) with_array(10 * k);
  MPI_Finalize();
  return 0;
}
