// usage: dlopened_mpi LIBRARY
// Loads MPI with dlopen(), as some interpreters do.
#include <dlfcn.h>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* mpi = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!mpi) return 3;
  int (*init)(int*, char***);
  int (*finalize)(void);
  *(void**)&init = dlsym(mpi, "MPI_Init");
  *(void**)&finalize = dlsym(mpi, "MPI_Finalize");
  if (!init || !finalize) return 4;
  return init(0, 0) || finalize();
}
