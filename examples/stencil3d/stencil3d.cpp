// Jacobi iteration on a 3-D grid, in blocks that send each other messages. The README next to this file
// explains it.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <plimsoll/objects.hpp>

#include "../common/collection_run.hpp"
#include "../common/program.hpp"
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

bool run(const Arguments& arguments, plimsoll::LoadRecorder& recorder) {
  const Grid& grid = arguments.grid;
  const std::int64_t per_side = grid.blocks_per_side();
  // Moves blocks if the settings say so: --vt_lb.
  plimsoll::ObjectSystem system(recorder, {.restore = arguments.run.restart});
  plimsoll::Collection<Block> blocks(system, {.bounds = {{per_side, per_side, per_side}}, .name = "blocks"},
                                     grid);
  const bool prints = recorder.rank() == 0;
  if (prints) {
    std::printf("%d x %d x %d cells in %lld blocks on %d ranks\n", grid.size, grid.size, grid.size,
                static_cast<long long>(blocks.bounds().count()), recorder.rank_count());
  }

  const Course course = run_steps(blocks, arguments.steps, arguments.run, [](const Block& block) {
    const auto& [x, y, z] = block.index();
    return checksum(block.step(), int(x), int(y), int(z));
  });
  const Result result = collect(blocks, grid, arguments.steps);
  const std::uint64_t cells = static_cast<std::uint64_t>(grid.size) * grid.size * grid.size;
  const bool correct = result.cells == cells && result.error < 1e-12;
  if (prints) {
    print(course, result.migrations, result.checksum);
    std::printf("%s: %llu of %llu cells, maximum error %.1e\n", correct ? "verified" : "NOT VERIFIED",
                static_cast<unsigned long long>(result.cells), static_cast<unsigned long long>(cells),
                result.error);
  }
  return correct;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, usage, parse_arguments, run);
}
