/* Example of a program that does not use Plimsoll. It smooths a grid, whose rows are spread over the ranks. Before each
 * of two half-steps, neighbouring ranks exchange their border rows, and after each step, all ranks agree on the largest
 * change. The last rank has half as many rows again as the others, for which they wait. To see how much of the run MPI
 * takes, where, and why:
 *
 *   mpicc -O2 -g heat.c -o heat -lm
 *   plimsoll profile --record mpi -- mpirun -n 4 ./heat
 *   plimsoll collectives summary plimsoll-profile
 *   plimsoll collectives sites plimsoll-profile
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { columns = 4096, rows_per_rank = 256 };

static int rank, ranks, rows;
static double* grid; /* rows of this rank, between two border rows of the neighbours */

static double* row(int number) {
  return grid + (size_t)number * columns;
}

/* Starts to receive a border row of a neighbour, and to send it a row. */
static void exchange(int neighbour, int received, int sent, MPI_Request requests[2]) {
  MPI_Irecv(row(received), columns, MPI_DOUBLE, neighbour, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(row(sent), columns, MPI_DOUBLE, neighbour, 0, MPI_COMM_WORLD, &requests[1]);
}

static void exchange_borders(void) {
  MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (rank > 0) exchange(rank - 1, 0, 1, requests);
  if (rank < ranks - 1) exchange(rank + 1, rows + 1, rows, requests + 2);
  MPI_Status statuses[4];
  MPI_Waitall(4, requests, statuses);
}

/* Replaces the points of one colour by the means of their neighbours. Returns the largest change. */
static double smooth(int colour) {
  double change = 0;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + (i + colour) % 2; j < columns - 1; j += 2) {
      const double mean = 0.25 * (row(i - 1)[j] + row(i + 1)[j] + row(i)[j - 1] + row(i)[j + 1]);
      change = fmax(change, fabs(mean - row(i)[j]));
      row(i)[j] = mean;
    }
  return change;
}

static double largest_change(double change) {
  double largest = 0;
  MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 500;
  rows = rank == ranks - 1 ? rows_per_rank * 3 / 2 : rows_per_rank;
  grid = calloc((size_t)(rows + 2) * columns, sizeof *grid);
  for (int i = 0; i < rows + 2; ++i) row(i)[0] = 1; /* the left border is hot */

  double change = 0;
  for (int step = 0; step < steps; ++step) {
    double of_step = 0;
    for (int colour = 0; colour < 2; ++colour) {
      exchange_borders();
      of_step = fmax(of_step, smooth(colour));
    }
    change = largest_change(of_step);
  }
  if (rank == 0) printf("largest change in step %d: %.6f\n", steps, change);

  free(grid);
  MPI_Finalize();
  return 0;
}
