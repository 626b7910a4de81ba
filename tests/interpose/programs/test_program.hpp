#pragma once

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <map>
#include <string>

/// Name of a function for persistent collectives: Open MPI has them as an extension.
#if MPI_VERSION >= 4
#define PERSISTENT(NAME) MPI_##NAME
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PERSISTENT(NAME) MPIX_##NAME
#endif

inline int world_rank = 0;
inline int world_size = 0;

/// Sets world_rank and world_size.
inline void find_ranks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

/// Cases of a program. Its first argument names the case to run.
using Cases = std::map<std::string, void (*)()>;

inline void run_case(int argc, char** argv, const Cases& cases) {
  MPI_Init(&argc, &argv);
  find_ranks();
  cases.at(argc > 1 ? argv[1] : "")();
  MPI_Finalize();
}
