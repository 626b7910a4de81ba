#include "interpose/lifecycle/private_world.hpp"

#include <fmt/format.h>

#include <exception>

#include "interpose/lifecycle/roll_call.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Lets MPI send what other ranks, which may still be in MPI_Init, need from this rank. No message to
/// MPI_COMM_SELF exists.
void make_progress() {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

MPI_Comm duplicate_of_world() {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

}  // namespace

PrivateWorld private_world(const std::string& folder) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) return {duplicate_of_world(), {}};
  try {
    RollCall roll_call(folder, fmt::format("{} {}", world_name(), ranks), rank, ranks);
    const std::string absent = roll_call.absent_ranks(make_progress);
    if (!absent.empty())
      return {MPI_COMM_NULL,
              roll_call.decided_here()
                  ? fmt::format("{}: LD_PRELOAD or the directory {} does not reach them", absent, folder)
                  : std::string()};
    return {duplicate_of_world(), {}};
  } catch (const std::exception& error) {
    return {MPI_COMM_NULL, rank == 0 ? error.what() : std::string()};
  }
}

}  // namespace plimsoll::interpose
