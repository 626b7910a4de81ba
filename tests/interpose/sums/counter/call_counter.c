// A preloaded library that counts the calls of all functions that mpi.h declares, by calling address. Nothing
// in it comes from the profiler: list_functions.py makes the list from mpi.h, and each function is a few
// instructions that count and then jump to the next library's function, whatever its parameters are.
//
// $PLIMSOLL_COUNTED_CALLS/RANK contains one line "NAME MODULE OFFSET CALLS BYTES" for each calling address;
// BYTES are those that the calls send to peers.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __x86_64__
#error "only for x86-64, whose calling convention the stubs follow"
#endif

enum { max_sites = 4096 };

typedef struct {
  const char* name;
  const char* fortran_name;
  int count, type, peer;  // positions of arguments
} Function;

typedef struct {
  int function;
  uintptr_t address;
  unsigned long long calls, bytes;
} Site;

static const Function functions[] = {
#define COUNTED(name, fortran_name, count, type, peer) {#name, #fortran_name, count, type, peer},
#include "functions.inc"
#undef COUNTED
};
enum { n_functions = sizeof functions / sizeof functions[0] };

static Site sites[max_sites];
static int n_sites;
static int rank = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// What a stub has pushed: registers of arguments 6 to 1, rax, the return address, and the caller's stack.
enum { return_slot = 7, stack_slot = 8 };

static uintptr_t argument(const uintptr_t* saved, int position) {
  return position < 6 ? saved[5 - position] : saved[stack_slot + position - 6];
}

static int is_large(const char* name) {
  const size_t length = strlen(name);
  return name[length - 2] == '_' && name[length - 1] == 'c';
}

static unsigned long long sent_bytes(const Function* function, const uintptr_t* saved, int fortran) {
  if (function->peer < 0) return 0;
  const uintptr_t count = argument(saved, function->count);
  const uintptr_t type = argument(saved, function->type);
  const uintptr_t peer = argument(saved, function->peer);
  if ((fortran ? *(const MPI_Fint*)peer : (int)peer) == MPI_PROC_NULL) return 0;
  MPI_Datatype datatype;
  if (fortran)
    datatype = PMPI_Type_f2c(*(const MPI_Fint*)type);
  else
    memcpy(&datatype, &type, sizeof datatype);
  int size = 0;
  PMPI_Type_size(datatype, &size);
  const long long elements = fortran                    ? *(const MPI_Fint*)count
                             : is_large(function->name) ? (long long)count
                                                        : (int)count;
  return (unsigned long long)elements * (unsigned)size;
}

static int is_active(void) {
  int initialized = 0;
  int finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (initialized && !finalized && rank < 0) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return initialized && !finalized;
}

// Whether MPI calls its own functions, e.g. those of C from those of Fortran.
static int is_of_mpi(uintptr_t address) {
  Dl_info info;
  if (!dladdr((void*)address, &info)) return 0;
  const char* slash = strrchr(info.dli_fname, '/');
  const char* name = slash ? slash + 1 : info.dli_fname;
  return !strncmp(name, "libmpi", 6) || !strncmp(name, "libopen-", 8) || !strncmp(name, "mca_", 4) ||
         !strncmp(name, "libplimsoll-profiler", 20);
}

static Site* site_of(int function, uintptr_t address) {
  for (int k = 0; k < n_sites; ++k)
    if (sites[k].function == function && sites[k].address == address) return &sites[k];
  if (n_sites == max_sites) abort();
  sites[n_sites] = (Site){function, address, 0, 0};
  return &sites[n_sites++];
}

// Counts a call and returns the function to which the stub jumps.
__attribute__((visibility("hidden"))) void* count_call(int stub, const uintptr_t* saved) {
  static void* next[2][n_functions];
  const int fortran = stub >= n_functions;
  const int number = stub - fortran * n_functions;
  const Function* function = &functions[number];
  if (!next[fortran][number])
    next[fortran][number] = dlsym(RTLD_NEXT, fortran ? function->fortran_name : function->name);
  const uintptr_t address = saved[return_slot];
  if (is_active() && !is_of_mpi(address)) {
    pthread_mutex_lock(&mutex);
    Site* const site = site_of(number, address);
    ++site->calls;
    site->bytes += sent_bytes(function, saved, fortran);
    pthread_mutex_unlock(&mutex);
  }
  return next[fortran][number];
}

// The number of a stub is the number of lines before it.
#define STUB(name)                                                                                       \
  __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name                                  \
          ":\n"                                                                                          \
          "push %rax\npush %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n"                  \
          "mov $number, %edi\nmov %rsp, %rsi\ncall count_call\nmov %rax, %r11\n"                         \
          "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\npop %rax\njmp *%r11\n.set number, " \
          "number + 1\n");
__asm__(".set number, 0\n");
#define COUNTED(name, fortran_name, count, type, peer) STUB(name)
#include "functions.inc"
#undef COUNTED
#define COUNTED(name, fortran_name, count, type, peer) STUB(fortran_name)
#include "functions.inc"
#undef COUNTED

__attribute__((destructor)) static void write_counts(void) {
  const char* folder = getenv("PLIMSOLL_COUNTED_CALLS");
  if (!folder || rank < 0) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  FILE* const file = fopen(path, "w");
  if (!file) return;
  for (int k = 0; k < n_sites; ++k) {
    Dl_info info;
    if (!dladdr((void*)sites[k].address, &info)) continue;
    fprintf(file, "%s %s %jx %llu %llu\n", functions[sites[k].function].name, info.dli_fname,
            (uintmax_t)(sites[k].address - (uintptr_t)info.dli_fbase), sites[k].calls, sites[k].bytes);
  }
  fclose(file);
}
