/* MPICH waits for a message by asking UCX over and over, and never gives its core away: with more ranks than cores, a
 * message may cost a whole time slice. Linked into a test program, this function comes before that of UCX, so that a
 * rank which finds nothing to do lets the others run. An MPICH without UCX never calls it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress_of_ucx)(void*) = NULL;
  if (progress_of_ucx == NULL) {
    void* const found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&progress_of_ucx, &found, sizeof found); /* ISO C has no cast from an object to a function */
  }
  const unsigned progressed = progress_of_ucx(worker);
  if (progressed == 0) sched_yield();
  return progressed;
}
