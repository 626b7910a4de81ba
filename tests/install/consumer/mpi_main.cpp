// A user's MPI program of two ranks. Each rank measures one object, and both ranks print the mean load at the
// end of the phase.
#include <iostream>
#include <string>

#include <plimsoll/mpi.hpp>
#include <plimsoll/runtime.hpp>

int main(int argc, char** argv) {
  const plimsoll::mpi::Environment environment(&argc, &argv);
  const plimsoll::mpi::Communicator communicator(MPI_COMM_WORLD);
  if (communicator.size() != 2) return 1;
  if (communicator.broadcast(std::to_string(communicator.rank()), 1) != "1") return 1;

  plimsoll::runtime::LoadRecorder recorder(MPI_COMM_WORLD, {.lb_statistics = false, .lb_quiet = true});
  const auto object = recorder.register_object();
  recorder.add_time(object, 1.0 + communicator.rank());
  const plimsoll::runtime::PhaseSummary summary = recorder.next_phase();
  recorder.close();
  std::cout << "rank " << recorder.rank() << ": mean load " << summary.rank_load_s.average() << " s\n";
  return summary.rank_load_s.average() >= 1.5 ? 0 : 1;
}
