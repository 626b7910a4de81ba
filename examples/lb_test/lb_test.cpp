// Elements with random work that send messages to their neighbours, after the lb_test of Charm++. The README
// next to this file explains it.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include <plimsoll/objects.hpp>

#include "command_line.hpp"
#include "problem.hpp"
#include "random.hpp"
#include "worker.hpp"

namespace {

// What every run must reproduce, wherever the elements are.
struct Result {
  std::uint64_t complete = 0;  // elements that have done all steps
  std::uint64_t checksum = 0;  // sum of their states
  std::uint64_t migrations = 0;
};

Result collect(plimsoll::Collection<Worker>& workers, int steps) {
  Result result;
  workers.for_each_local([&](const Worker& worker) {
    result.complete += worker.step() == steps ? 1 : 0;
    result.checksum += worker.state();
    result.migrations += static_cast<std::uint64_t>(worker.migrations());
  });
  MPI_Allreduce(MPI_IN_PLACE, &result.complete, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

// Lets all workers migrate to pseudo-random ranks at the end of the phase.
void shuffle(plimsoll::Collection<Worker>& workers) {
  plimsoll::ObjectSystem& system = workers.system();
  workers.for_each_local([&](Worker& worker) {
    const std::uint64_t random = random_bits(3, worker.index()[0], worker.step());
    worker.migrate_to(static_cast<int>(random % static_cast<std::uint64_t>(system.rank_count())));
  });
}

// Returns the number of steps that all workers have done: more than 0 after a restart.
int steps_done(plimsoll::Collection<Worker>& workers) {
  int steps = 0;
  workers.for_each_local([&](Worker& worker) { steps = worker.step(); });
  MPI_Allreduce(MPI_IN_PLACE, &steps, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return steps;
}

int run(const Arguments& arguments, plimsoll::LoadRecorder& recorder) {
  const Problem& problem = arguments.problem;
  // Moves elements if the settings say so: --vt_lb.
  plimsoll::ObjectSystem system(recorder, {.restore = arguments.restart});
  plimsoll::Collection<Worker> workers(system, {.bounds = {{problem.elements}}, .name = "workers"}, problem);
  const bool prints = recorder.rank() == 0;
  if (prints) std::printf("%d elements on %d ranks\n", problem.elements, recorder.rank_count());

  double first_imbalance = 0;
  double last_imbalance = 0;
  const double start_s = MPI_Wtime();
  const int first_step = steps_done(workers);
  for (int step = first_step; step < problem.steps; step += arguments.phase_steps) {
    if (arguments.shuffle) shuffle(workers);
    const int steps = std::min(arguments.phase_steps, problem.steps - step);
    workers.broadcast_collective<&Worker::advance>(steps);
    const plimsoll::PhaseSummary summary = system.next_phase();
    last_imbalance = summary.rank_load_s.imbalance();
    if (step == first_step) first_imbalance = last_imbalance;
    if (!arguments.checkpoint.empty()) system.checkpoint(arguments.checkpoint);
  }
  const double time_s = MPI_Wtime() - start_s;

  const Result result = collect(workers, problem.steps);
  const bool complete = result.complete == static_cast<std::uint64_t>(problem.elements);
  const bool correct = complete && result.checksum == sequential_checksum(problem);
  if (prints) {
    std::printf("time: %.3f s, %.3f ms per step\n", time_s,
                1e3 * time_s / std::max(problem.steps - first_step, 1));
    std::printf("imbalance: %.4f in the first phase, %.4f in the last\n", first_imbalance, last_imbalance);
    std::printf("migrations: %llu\n", static_cast<unsigned long long>(result.migrations));
    std::printf("checksum: %016llx\n", static_cast<unsigned long long>(result.checksum));
    std::printf("%s: %llu of %d elements complete, %s\n", correct ? "verified" : "NOT VERIFIED",
                static_cast<unsigned long long>(result.complete), problem.elements,
                correct ? "same result as without messages" : "wrong result");
  }
  return correct ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const Arguments arguments = parse_arguments(argc, argv);
    plimsoll::Settings defaults;
    defaults.lb_check = true;  // finds mistakes such as an element on two ranks
    plimsoll::LoadRecorder recorder(argc, argv, MPI_COMM_WORLD, defaults);
    status = run(arguments, recorder);
    recorder.close();
  } catch (const std::invalid_argument& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n%s", error.what(), usage);
    status = 2;
  } catch (const plimsoll::Error& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  MPI_Finalize();
  return status;
}
