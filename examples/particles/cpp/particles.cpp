// The particle-in-cell research kernel, measured and balanced by Plimsoll. The README next to this directory
// explains it.
#include <plimsoll/runtime.hpp>

#include "../../common/program.hpp"
#include "blocks.hpp"
#include "command_line.hpp"
#include "report.hpp"

namespace {

Result collect(const Blocks& blocks, const Mesh& mesh, int steps) {
  Result result;
  for (const auto& [number, block] : blocks.all()) result.add(block.particles, mesh, steps);
  result.add_ranks();
  return result;
}

bool run(const Arguments& arguments, plimsoll::LoadRecorder& recorder) {
  Blocks blocks(arguments.mesh, arguments.distribution, recorder);
  plimsoll::Balancer balancer(
      recorder);  // moves blocks if the settings say so, as in --vt_lb --vt_lb_name=RefineLB
  balancer.balance_at_phase_ends(blocks.transport());
  balancer.on_migration([&](const plimsoll::MigrationPlan&) { blocks.find_owners(balancer); });

  Report report(arguments, recorder, collect(blocks, arguments.mesh, 0));
  for (int step = 0; step < arguments.steps; ++step) {
    blocks.step();
    report.add_step(recorder.next_phase());
  }
  report.end_steps();
  return report.print(collect(blocks, arguments.mesh, arguments.steps));
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, usage, parse_arguments, run);
}
