#include "runtime/bindings/c_recorder.hpp"

#include <string>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

LastError& last_error() {
  static LastError error([](const std::string& text) { support::say(text); });
  return error;
}

bool is_rank_0(MPI_Comm communicator) {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised == 0 || finalised != 0) return true;
  int rank = 0;
  MPI_Comm_rank(communicator == MPI_COMM_NULL ? MPI_COMM_WORLD : communicator, &rank);
  return rank == 0;
}

void mpi_is_not_initialised() {
  throw support::usage_error("MPI is not initialised", "call MPI_Init first");
}

}  // namespace plimsoll::runtime
