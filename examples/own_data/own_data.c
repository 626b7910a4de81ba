/* Example of a program that measures its work with Plimsoll and keeps its own data structures. This is the C
 * version of own_data.cpp, which explains it. */
#include <math.h>
#include <mpi.h>
#include <plimsoll.h>
#include <stdio.h>
#include <stdlib.h>

enum { interval_count = 64, steps = 4 };
static const double width = 0.03; /* width of the peak */
static const double tolerance = 1e-12;

static double peak(double x, double centre) {
  return width / (width * width + (x - centre) * (x - centre));
}

/* Returns the exact integral of the peak from 0 to 1. */
static double exact(double centre) {
  return atan((1 - centre) / width) + atan(centre / width);
}

struct interval {
  plimsoll_object object;
  double left; /* values of the peak at both ends */
  double right;
  double evaluations;
};

/* Integrates with the adaptive trapezoidal rule from a to b, where the peak has the values fa and fb. */
static double integrate(double centre, double a, double b, double fa, double fb, double* evaluations) {
  const double m = 0.5 * (a + b);
  const double fm = peak(m, centre);
  *evaluations += 1;
  const double coarse = (b - a) / 2 * (fa + fb);
  const double fine = (b - a) / 4 * (fa + 2 * fm + fb);
  if (fabs(fine - coarse) <= 3 * tolerance * (b - a)) return fine + (fine - coarse) / 3;
  return integrate(centre, a, m, fa, fm, evaluations) + integrate(centre, m, b, fm, fb, evaluations);
}

static void check(int status) {
  if (status == 0) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fprintf(stderr, "%s\n", plimsoll_error_message()); /* the same on all ranks */
  MPI_Finalize();
  exit(status);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > interval_count) {
    if (rank == 0) fprintf(stderr, "use at most %d ranks: each rank needs an interval\n", interval_count);
    MPI_Finalize();
    return 1;
  }
  check(plimsoll_set_default("lb_check", "true")); /* finds mistakes such as an object on two ranks */
  plimsoll_recorder* recorder = NULL;
  check(plimsoll_start(&recorder, MPI_COMM_WORLD, &argc, argv)); /* removes --vt_lb_... from the arguments */
  const int first = interval_count * rank / ranks;
  const int end = interval_count * (rank + 1) / ranks;

  /* Objects that are numbered the same way on all ranks can refer to each other in messages. */
  struct interval all[interval_count];
  for (int64_t i = first; i < end; ++i) {
    plimsoll_spec spec = PLIMSOLL_SPEC_INIT;
    spec.number = i;
    all[i].object = plimsoll_register(recorder, 1, &i, &spec);
  }

  double worst_error = 0;
  for (int step = 0; step < steps; ++step) {
    const double centre = 0.2 + 0.2 * step;

    plimsoll_set_subphase(recorder, 0); /* neighbouring intervals exchange boundary values */
    for (int i = first; i < end; ++i) {
      plimsoll_begin(recorder, all[i].object);
      all[i].left = peak((double)i / interval_count, centre);
      plimsoll_end(recorder, all[i].object);
    }
    double from_next_rank = peak(1, centre);
    plimsoll_begin_idle(recorder); /* waiting is idle time, not work */
    MPI_Sendrecv(&all[first].left, 1, MPI_DOUBLE, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, &from_next_rank, 1,
                 MPI_DOUBLE, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    plimsoll_end_idle(recorder);
    for (int i = first; i < end; ++i) {
      all[i].right = i + 1 < end ? all[i + 1].left : from_next_rank;
      if (i + 1 == interval_count) continue;
      const plimsoll_id sender = plimsoll_make_id(i + 1 < end ? rank : rank + 1, i + 1, 1);
      /* Also recorded if both intervals are on this rank: a strategy must know what belongs together. */
      plimsoll_message(recorder, sender, plimsoll_id_of(recorder, all[i].object), sizeof(double));
    }

    plimsoll_set_subphase(recorder, 1); /* each interval is integrated */
    double sums[2] = {0, 0};            /* sums of integral and evaluations */
    for (int i = first; i < end; ++i) {
      plimsoll_begin(recorder, all[i].object);
      const double a = (double)i / interval_count;
      const double b = (double)(i + 1) / interval_count;
      all[i].evaluations = 0;
      sums[0] += integrate(centre, a, b, all[i].left, all[i].right, &all[i].evaluations);
      sums[1] += all[i].evaluations;
      plimsoll_set_real(recorder, PLIMSOLL_USER_DEFINED, all[i].object, "evaluations", all[i].evaluations);
      plimsoll_end(recorder, all[i].object);
    }
    plimsoll_leave_subphase(recorder);
    plimsoll_begin_idle(recorder);
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    plimsoll_end_idle(recorder);
    worst_error = fmax(worst_error, fabs(sums[0] - exact(centre)));
    if (rank == 0) printf("step %d: integral %15.12f, %10.0f evaluations\n", step, sums[0], sums[1]);
    check(plimsoll_next_phase(recorder, NULL));
  }
  check(plimsoll_finish(&recorder));
  if (rank == 0) printf("%s\n", worst_error < 1e-10 ? "as exact as required" : "NOT EXACT");
  MPI_Finalize();
  return worst_error < 1e-10 ? 0 : 1;
}
