// A user's MPI program of two ranks: each measures some work, and the other's time is added.
#include <iostream>
#include <string>

#include <plimsoll/mpi.hpp>
#include <plimsoll/runtime.hpp>

namespace {

void add(double& left, double right) {
  left += right;
}

}  // namespace

int main(int argc, char** argv) {
  const plimsoll::mpi::Environment environment(&argc, &argv);
  const plimsoll::mpi::Communicator communicator(MPI_COMM_WORLD);
  if (communicator.size() != 2) return 1;
  if (communicator.broadcast(std::to_string(communicator.rank()), 1) != "1") return 1;

  const plimsoll::runtime::Clock clock;
  const auto begin = clock.now();
  const auto object = plimsoll::runtime::object_id(communicator.rank(), 7);
  const double time_s = communicator.all_reduce<&add>(clock.seconds(clock.now() - begin));
  std::cout << "rank " << communicator.rank() << ": " << static_cast<std::uint64_t>(object) << ", " << time_s
            << " s\n";
  return time_s > 0 ? 0 : 1;
}
