#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Returns a text that identifies MPI_COMM_WORLD: equal on all its ranks, and different for other programs
/// and for the ranks that a program spawns. It comes from the launcher (Open MPI, MPICH, Slurm, PALS). With
/// an unknown launcher, it is equal only for processes with the same parent. Does not communicate.
std::string world_name();

/// Returns an ID of the run whose rank 0 is this process. It is equal in all preloaded libraries of the
/// process, and differs from that of all other runs. Does not communicate.
std::uint64_t run_id_of_rank_0();

}  // namespace plimsoll::mpi
