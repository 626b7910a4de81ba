/* Makes idle ranks of a test program sleep, so that other ranks and other tests can run. With more ranks than cores,
 * a message may otherwise cost a time slice of each waiting rank.
 *
 * MPICH waits for messages by polling UCX and never yields its core. Open MPI yields its core between polls if
 * mpi_yield_when_idle is set, which helps little if many ranks do. If linked into a test program, these functions
 * replace those of UCX and of the C library. MPICH without UCX calls neither. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { polls_before_sleep = 50, pause_ns = 20000, longest_pause_ns = 1000000 };

unsigned ucp_worker_progress(void* worker);

/* The pauses grow with the time waited, so that a long wait costs little, and ends late by a hundredth at most. */
static void yield_or_sleep(unsigned idle_polls) {
  const long grown_ns = (long)pause_ns / polls_before_sleep * idle_polls;
  const struct timespec pause = {.tv_nsec = grown_ns < longest_pause_ns ? grown_ns : longest_pause_ns};
  if (idle_polls < polls_before_sleep)
    syscall(SYS_sched_yield);
  else
    nanosleep(&pause, NULL);
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress_of_ucx)(void*) = NULL;
  static _Thread_local unsigned idle_polls = 0;
  if (progress_of_ucx == NULL) {
    void* const found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&progress_of_ucx, &found, sizeof found); /* ISO C cannot cast object to function pointers */
  }
  const unsigned progressed = progress_of_ucx(worker);
  if (progressed != 0)
    idle_polls = 0;
  else
    yield_or_sleep(idle_polls++);
  return progressed;
}

static long long nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Open MPI calls this function after each poll without a result. A rank that has done something since the last call is
 * not idle. */
int sched_yield(void) {
  static _Thread_local unsigned idle_polls = 0;
  static _Thread_local long long last_ns = 0;
  if (nanoseconds() - last_ns > pause_ns) idle_polls = 0;
  yield_or_sleep(idle_polls++);
  last_ns = nanoseconds();
  return 0;
}
