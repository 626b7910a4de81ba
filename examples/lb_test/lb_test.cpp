// Elements with random work that send messages to their neighbours, after the lb_test of Charm++. The README
// next to this file explains it.
#include <mpi.h>

#include <cstdint>
#include <cstdio>

#include <plimsoll/objects.hpp>

#include "../common/collection_run.hpp"
#include "../common/program.hpp"
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

bool run(const Arguments& arguments, plimsoll::LoadRecorder& recorder) {
  const Problem& problem = arguments.problem;
  // Moves elements if the settings say so: --vt_lb.
  plimsoll::ObjectSystem system(recorder, {.restore = arguments.run.restart});
  plimsoll::Collection<Worker> workers(system, {.bounds = {{problem.elements}}, .name = "workers"}, problem);
  const bool prints = recorder.rank() == 0;
  if (prints) std::printf("%d elements on %d ranks\n", problem.elements, recorder.rank_count());

  const Course course = run_steps(workers, problem.steps, arguments.run, [](const Worker& worker) {
    return random_bits(3, worker.index()[0], worker.step());
  });
  const Result result = collect(workers, problem.steps);
  const bool complete = result.complete == static_cast<std::uint64_t>(problem.elements);
  const bool correct = complete && result.checksum == sequential_checksum(problem);
  if (prints) {
    print(course, result.migrations, result.checksum);
    std::printf("%s: %llu of %d elements complete, %s\n", correct ? "verified" : "NOT VERIFIED",
                static_cast<unsigned long long>(result.complete), problem.elements,
                correct ? "same result as without messages" : "wrong result");
  }
  return correct;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, usage, parse_arguments, run);
}
