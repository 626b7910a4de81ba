// The time steps of a program with a collection, in phases. The elements have the member functions
// advance(steps), step() and migrate_to().
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include <plimsoll/objects.hpp>

#include "run_options.hpp"

// What a run has measured.
struct Course {
  int steps = 0;
  double time_s = 0;
  double first_imbalance = 0;
  double last_imbalance = 0;
};

// Returns the number of steps that all elements have done: more than 0 after a restart.
template <class T>
int steps_done(plimsoll::Collection<T>& elements) {
  int steps = 0;
  elements.for_each_local([&](const T& element) { steps = element.step(); });
  MPI_Allreduce(MPI_IN_PLACE, &steps, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return steps;
}

// Lets all elements do the first `steps` steps, without those that they have already done. random_of(element)
// determines where an element migrates to with --shuffle.
template <class T, class RandomOf>
Course run_steps(plimsoll::Collection<T>& elements, int steps, const RunOptions& options,
                 const RandomOf& random_of) {
  plimsoll::ObjectSystem& system = elements.system();
  const int first_step = steps_done(elements);
  Course course{.steps = steps - first_step};
  const double start_s = MPI_Wtime();
  for (int step = first_step; step < steps; step += options.phase_steps) {
    if (options.shuffle) {
      elements.for_each_local([&](T& element) {
        const std::uint64_t random = random_of(element);
        element.migrate_to(static_cast<int>(random % static_cast<std::uint64_t>(system.rank_count())));
      });
    }
    elements.template broadcast_collective<&T::advance>(std::min(options.phase_steps, steps - step));
    const plimsoll::PhaseSummary summary = system.next_phase();
    course.last_imbalance = summary.rank_load_s.imbalance();
    if (step == first_step) course.first_imbalance = course.last_imbalance;
    if (!options.checkpoint.empty()) system.checkpoint(options.checkpoint);
  }
  course.time_s = MPI_Wtime() - start_s;
  return course;
}

// Prints what the run has measured, and what every run must reproduce.
inline void print(const Course& course, std::uint64_t migrations, std::uint64_t checksum) {
  std::printf("time: %.3f s, %.3f ms per step\n", course.time_s,
              1e3 * course.time_s / std::max(course.steps, 1));
  std::printf("imbalance: %.4f in the first phase, %.4f in the last\n", course.first_imbalance,
              course.last_imbalance);
  std::printf("migrations: %llu\n", static_cast<unsigned long long>(migrations));
  std::printf("checksum: %016llx\n", static_cast<unsigned long long>(checksum));
}
