// usage: other_initialisation [session]
// Initialises MPI so that a preloaded MPI_Init is not called: by an own one, or by a session.
#include <mpi.h>

int MPI_Init(int* argc, char*** argv) {
  return PMPI_Init(argc, argv);
}

static void begin_session(void) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_finalize(&session);
#endif
}

int main(int argc, char** argv) {
  if (argc == 2) {
    begin_session();
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
