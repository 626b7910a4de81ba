// The particle-in-cell research kernel, in blocks that send each other their particles. Compare it with the
// program in ../cpp, whose mesh, distributions, arguments and report it uses.
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include <plimsoll/objects.hpp>

#include "../../common/program.hpp"
#include "../cpp/command_line.hpp"
#include "../cpp/report.hpp"
#include "block.hpp"

namespace {

// Numbers the particles of all ranks from 1, in the order of their blocks.
void number_particles(plimsoll::Collection<Block>& blocks) {
  std::vector<std::int64_t> last(blocks.bounds().count() + 1);
  blocks.for_each_local([&](const Block& block) { last[block.number() + 1] = block.particles().size(); });
  MPI_Allreduce(MPI_IN_PLACE, last.data(), static_cast<int>(last.size()), MPI_INT64_T, MPI_SUM,
                MPI_COMM_WORLD);
  std::partial_sum(last.begin(), last.end(), last.begin());
  blocks.for_each_local([&](Block& block) { block.number_particles(last[block.number()]); });
}

Result collect(plimsoll::Collection<Block>& blocks, const Mesh& mesh, int steps) {
  Result result;
  blocks.for_each_local([&](const Block& block) { result.add(block.particles(), mesh, steps); });
  result.add_ranks();
  return result;
}

bool run(const Arguments& arguments, plimsoll::LoadRecorder& recorder) {
  const Mesh& mesh = arguments.mesh;
  const std::int64_t side = mesh.blocks_per_side();
  // Moves blocks if the settings say so, as in --vt_lb --vt_lb_name=RefineLB.
  plimsoll::ObjectSystem system(recorder);
  plimsoll::Collection<Block> blocks(system, {.bounds = {{side, side}}, .name = "blocks"}, mesh,
                                     arguments.distribution);
  number_particles(blocks);

  Report report(arguments, recorder, collect(blocks, mesh, 0));
  for (int step = 0; step < arguments.steps; ++step) {
    blocks.broadcast_collective<&Block::step>();
    report.add_step(system.next_phase());
  }
  report.end_steps();
  return report.print(collect(blocks, mesh, arguments.steps));
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, usage, parse_arguments, run);
}
