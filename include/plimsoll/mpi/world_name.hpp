#pragma once

#include <string>

namespace plimsoll::inline v0_1::mpi {

/// Returns a text that identifies MPI_COMM_WORLD: equal on all its ranks, and different for other programs
/// and for the ranks that a program spawns. It comes from the launcher (Open MPI, MPICH, Slurm, PALS). With
/// an unknown launcher, it is equal only for processes with the same parent. Does not communicate.
std::string world_name();

}  // namespace plimsoll::mpi
