// The particle-in-cell research kernel, measured and balanced by Plimsoll. The README next to this directory
// explains it.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include <plimsoll/runtime.hpp>

#include "blocks.hpp"
#include "command_line.hpp"

namespace {

// Adds up what every run must reproduce exactly, however its blocks are placed.
struct Result {
  std::int64_t count = 0;
  std::int64_t sum_of_numbers = 0;
  std::int64_t checksum = 0;
  std::int64_t misplaced = 0;  // particles that are not at their exact position
};

Result collect(const Blocks& blocks, const Mesh& mesh, int steps) {
  Result result;
  for (const auto& [number, block] : blocks.all()) {
    for (const Particle& particle : block.particles) {
      result.count += 1;
      result.sum_of_numbers += particle.number;
      result.checksum += checksum(particle);
      result.misplaced += mesh.error(particle, steps) < 1e-6 ? 0 : 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &result.count, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

int run(const Arguments& arguments, plimsoll::LoadRecorder& recorder) {
  Blocks blocks(arguments.mesh, arguments.distribution, recorder);
  plimsoll::Balancer balancer(
      recorder);  // moves blocks if the settings say so, as in --vt_lb --vt_lb_name=RefineLB
  balancer.balance_at_phase_ends(blocks.transport());
  balancer.on_migration([&](const plimsoll::MigrationPlan&) { blocks.find_owners(balancer); });

  const std::int64_t particles = collect(blocks, arguments.mesh, 0).count;
  const bool prints = recorder.rank() == 0;
  if (prints) {
    std::printf("%lld particles (%s) on %d x %d cells in %d blocks on %d ranks\n",
                static_cast<long long>(particles), arguments.distribution_name.c_str(), arguments.mesh.cells,
                arguments.mesh.cells, arguments.mesh.block_count(), recorder.rank_count());
  }

  double first_imbalance = 0;
  double last_imbalance = 0;
  std::int64_t migrations = 0;
  const double start_s = MPI_Wtime();
  for (int step = 0; step < arguments.steps; ++step) {
    blocks.step();
    const plimsoll::PhaseSummary summary = recorder.next_phase();  // each step is one phase
    last_imbalance = summary.rank_load_s.imbalance();
    migrations += summary.balancing.migrations;
    if (step == 0) first_imbalance = last_imbalance;
  }
  const double time_s = MPI_Wtime() - start_s;

  const Result result = collect(blocks, arguments.mesh, arguments.steps);
  const bool complete = result.count == particles && result.sum_of_numbers == particles * (particles + 1) / 2;
  const bool correct = complete && result.misplaced == 0;
  if (prints) {
    std::printf("time: %.3f s, %.3f ms per step\n", time_s, 1e3 * time_s / arguments.steps);
    std::printf("imbalance: %.4f in the first step, %.4f in the last\n", first_imbalance, last_imbalance);
    std::printf("migrations: %lld\n", static_cast<long long>(migrations));
    std::printf("checksum: %lld\n", static_cast<long long>(result.checksum));
    std::printf("%s: %s, %lld misplaced\n", correct ? "verified" : "NOT VERIFIED",
                complete ? "all particles present" : "particles lost or doubled",
                static_cast<long long>(result.misplaced));
    if (recorder.settings().lb_data)
      std::printf("LB data: %s\n", plimsoll::runtime::data_file_pattern(recorder.settings()).c_str());
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
    defaults.lb_check = true;  // finds mistakes such as a block on two ranks
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
