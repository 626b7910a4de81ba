// Kills rank 1 in the third round of a strategy. The launcher must end the other ranks, which wait for it.
#include <fmt/format.h>
#include <mpi.h>

#include <csignal>

#include "runtime/balancing/mpi_rounds.hpp"

int main(int argc, char** argv) {
  using namespace plimsoll;
  MPI_Init(&argc, &argv);
  const mpi::Communicator communicator(MPI_COMM_WORLD);
  runtime::MpiRounds rounds(communicator);
  rounds.agreed([&] {
    for (int round = 0; round < 5; ++round) {
      rounds.run([&](std::int32_t, balance::Inbox, balance::Outbox& outbox) {
        if (communicator.rank() == 1 && round == 2) std::raise(SIGKILL);
        outbox.send(0, std::span<const int>(&round, 1));
      });
    }
  });
  fmt::print("rank {} finished the rounds\n", communicator.rank());
}
