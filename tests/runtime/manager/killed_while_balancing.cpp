// Migrates all objects at each phase end. A rank kills itself while it packs them at the end of the given
// phase.
//
//     killed_while_balancing DIR PHASE
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include <plimsoll/runtime.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string folder = argv[1];
  const int last_phase = std::atoi(argv[2]);
  plimsoll::Settings settings;
  settings.lb_data = true;
  settings.lb_data_dir = folder;
  settings.lb_quiet = true;
  plimsoll::LoadRecorder recorder(MPI_COMM_WORLD, settings);
  plimsoll::Balancer balancer(recorder);
  if (recorder.rank() == 0)
    for (int k = 0; k < 10; ++k) recorder.register_object({.index = {k}});
  balancer.set_strategy("RotateLB");
  balancer.balance_at_phase_ends({
      .size_bytes = [](plimsoll::ObjectId) { return 100; },
      .pack =
          [&](plimsoll::ObjectId, std::span<std::byte> to) {
            if (recorder.phase() == last_phase) std::raise(SIGKILL);
            return to.size();
          },
      .unpack = [](plimsoll::ObjectId, std::span<const std::byte> from) { return from.size(); },
      .remove = {},
  });
  while (recorder.phase() <= last_phase) recorder.next_phase();
  return 1;  // a rank should have been killed
}
