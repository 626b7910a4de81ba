// Example of a program that measures its work with Plimsoll and keeps its own data structures.
//
// The program integrates a peak that moves through [0, 1]. The domain is divided into intervals, which are
// assigned to the ranks in blocks. The number of evaluations of an interval depends on the peak, so the rank
// with the peak has most of the work. Each interval is an object, and each step of the peak is one phase.
// own_data.c is the same program in C, own_data.f90 in Fortran.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <plimsoll/runtime.hpp>

namespace {

constexpr int interval_count = 64;
constexpr int steps = 4;
constexpr double width = 0.03;  // width of the peak
constexpr double tolerance = 1e-12;

double peak(double x, double centre) {
  return width / (width * width + (x - centre) * (x - centre));
}

// Returns the exact integral of the peak from 0 to 1.
double exact(double centre) {
  return std::atan((1 - centre) / width) + std::atan(centre / width);
}

struct Interval {
  plimsoll::ObjectHandle object;
  double left = 0;  // values of the peak at both ends
  double right = 0;
  double evaluations = 0;
};

// Integrates with the adaptive trapezoidal rule from a to b, where the peak has the values fa and fb.
double integrate(double centre, double a, double b, double fa, double fb, double& evaluations) {
  const double m = 0.5 * (a + b);
  const double fm = peak(m, centre);
  evaluations += 1;
  const double coarse = (b - a) / 2 * (fa + fb);
  const double fine = (b - a) / 4 * (fa + 2 * fm + fb);
  if (std::abs(fine - coarse) <= 3 * tolerance * (b - a)) return fine + (fine - coarse) / 3;
  return integrate(centre, a, m, fa, fm, evaluations) + integrate(centre, m, b, fm, fb, evaluations);
}

}  // namespace

int run(int argc, char** argv) {
  plimsoll::Settings defaults;
  defaults.lb_check = true;  // finds mistakes such as an object on two ranks
  // Removes --vt_lb_... from the arguments.
  plimsoll::LoadRecorder recorder(argc, argv, defaults);
  const int rank = recorder.rank();
  const int ranks = recorder.rank_count();
  if (ranks > interval_count) {
    if (rank == 0)
      std::fprintf(stderr, "use at most %d ranks: each rank needs an interval\n", interval_count);
    return 1;
  }
  const int first = interval_count * rank / ranks;
  const int end = interval_count * (rank + 1) / ranks;

  // Objects that are numbered the same way on all ranks can refer to each other in messages.
  std::vector<Interval> mine(end - first);
  for (int i = first; i < end; ++i) {
    mine[i - first].object = recorder.register_object({.index = {i}, .number = i});
  }

  double worst_error = 0;
  for (int step = 0; step < steps; ++step) {
    const double centre = 0.2 + 0.2 * step;

    recorder.set_subphase(0);  // neighbouring intervals exchange boundary values
    for (int i = first; i < end; ++i) {
      const auto work = recorder.work_on(mine[i - first].object);
      mine[i - first].left = peak(double(i) / interval_count, centre);
    }
    double from_next_rank = peak(1, centre);
    {
      const auto idle = recorder.wait();  // waiting is idle time, not work
      MPI_Sendrecv(&mine[0].left, 1, MPI_DOUBLE, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, &from_next_rank, 1,
                   MPI_DOUBLE, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    for (int i = first; i < end; ++i) {
      mine[i - first].right = i + 1 < end ? mine[i + 1 - first].left : from_next_rank;
      if (i + 1 == interval_count) continue;
      // Also recorded if both intervals are on this rank: a strategy must know what belongs together.
      const auto sender = plimsoll::object_id(i + 1 < end ? rank : rank + 1, i + 1);
      recorder.record_message(sender, recorder.id(mine[i - first].object), sizeof(double));
    }

    recorder.set_subphase(1);  // each interval is integrated
    double sums[2] = {0, 0};   // sums of integral and evaluations
    for (int i = first; i < end; ++i) {
      Interval& interval = mine[i - first];
      const auto work = recorder.work_on(interval.object);
      const double a = double(i) / interval_count;
      const double b = double(i + 1) / interval_count;
      interval.evaluations = 0;
      sums[0] += integrate(centre, a, b, interval.left, interval.right, interval.evaluations);
      sums[1] += interval.evaluations;
      recorder.set_value(interval.object, plimsoll::UserValueKind::user_defined, "evaluations",
                         interval.evaluations);
    }
    recorder.leave_subphase();
    {
      const auto idle = recorder.wait();
      MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    worst_error = std::max(worst_error, std::abs(sums[0] - exact(centre)));
    if (rank == 0) std::printf("step %d: integral %15.12f, %10.0f evaluations\n", step, sums[0], sums[1]);
    recorder.next_phase();
  }
  recorder.close();
  if (rank == 0) std::printf("%s\n", worst_error < 1e-10 ? "as exact as required" : "NOT EXACT");
  return worst_error < 1e-10 ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int failed = 0;
  try {
    failed = run(argc, argv);
  } catch (const plimsoll::Error& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());  // the same on all ranks
    failed = 1;
  }
  MPI_Finalize();
  return failed;
}
