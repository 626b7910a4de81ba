// Jacobi iteration on a 3-D grid, in blocks that send each other messages. The README next to this file
// explains it.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include <plimsoll/objects.hpp>

#include "block.hpp"
#include "command_line.hpp"
#include "grid.hpp"

namespace {

// What every run must reproduce, wherever the blocks are.
struct Result {
  std::uint64_t cells = 0;     // that have done all steps
  std::uint64_t checksum = 0;  // of all bits of all values
  std::uint64_t migrations = 0;
  double error = 0;  // maximum difference from the exact solution
};

Result collect(plimsoll::Collection<Block>& blocks, const Grid& grid, int steps) {
  Result result;
  blocks.for_each_local([&](Block& block) {
    result.migrations += static_cast<std::uint64_t>(block.migrations());
    if (block.step() != steps) return;
    block.for_each_value([&](int x, int y, int z, double value) {
      ++result.cells;
      result.checksum += checksum(value, x, y, z);
      result.error = std::max(result.error, std::abs(value - grid.exact(x, y, z, steps)));
    });
  });
  MPI_Allreduce(MPI_IN_PLACE, &result.cells, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &result.error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

// Lets all blocks migrate to pseudo-random ranks at the end of the phase.
void shuffle(plimsoll::Collection<Block>& blocks) {
  plimsoll::ObjectSystem& system = blocks.system();
  blocks.for_each_local([&](Block& block) {
    const auto& [x, y, z] = block.index();
    const std::uint64_t random = checksum(block.step(), int(x), int(y), int(z));
    block.migrate_to(static_cast<int>(random % static_cast<std::uint64_t>(system.rank_count())));
  });
}

// Returns the number of steps that all blocks have done: more than 0 after a restart.
int steps_done(plimsoll::Collection<Block>& blocks) {
  int steps = 0;
  blocks.for_each_local([&](Block& block) { steps = block.step(); });
  MPI_Allreduce(MPI_IN_PLACE, &steps, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return steps;
}

int run(const Arguments& arguments, plimsoll::LoadRecorder& recorder) {
  const Grid& grid = arguments.grid;
  const std::int64_t per_side = grid.blocks_per_side();
  // Moves blocks if the settings say so: --vt_lb.
  plimsoll::ObjectSystem system(recorder, {.restore = arguments.restart});
  plimsoll::Collection<Block> blocks(system, {.bounds = {{per_side, per_side, per_side}}, .name = "blocks"},
                                     grid);
  const bool prints = recorder.rank() == 0;
  if (prints) {
    std::printf("%d x %d x %d cells in %lld blocks on %d ranks\n", grid.size, grid.size, grid.size,
                static_cast<long long>(blocks.bounds().count()), recorder.rank_count());
  }

  double first_imbalance = 0;
  double last_imbalance = 0;
  const double start_s = MPI_Wtime();
  const int first_step = steps_done(blocks);
  for (int step = first_step; step < arguments.steps; step += arguments.phase_steps) {
    if (arguments.shuffle) shuffle(blocks);
    const int steps = std::min(arguments.phase_steps, arguments.steps - step);
    blocks.broadcast_collective<&Block::advance>(steps);
    const plimsoll::PhaseSummary summary = system.next_phase();
    last_imbalance = summary.rank_load_s.imbalance();
    if (step == first_step) first_imbalance = last_imbalance;
    if (!arguments.checkpoint.empty()) system.checkpoint(arguments.checkpoint);
  }
  const double time_s = MPI_Wtime() - start_s;

  const Result result = collect(blocks, grid, arguments.steps);
  const std::uint64_t cells = static_cast<std::uint64_t>(grid.size) * grid.size * grid.size;
  const bool correct = result.cells == cells && result.error < 1e-12;
  if (prints) {
    std::printf("time: %.3f s, %.3f ms per step\n", time_s,
                1e3 * time_s / std::max(arguments.steps - first_step, 1));
    std::printf("imbalance: %.4f in the first phase, %.4f in the last\n", first_imbalance, last_imbalance);
    std::printf("migrations: %llu\n", static_cast<unsigned long long>(result.migrations));
    std::printf("checksum: %016llx\n", static_cast<unsigned long long>(result.checksum));
    std::printf("%s: %llu of %llu cells, maximum error %.1e\n", correct ? "verified" : "NOT VERIFIED",
                static_cast<unsigned long long>(result.cells), static_cast<unsigned long long>(cells),
                result.error);
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
