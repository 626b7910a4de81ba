/* MPICH waits for messages by polling UCX and never yields its core. With more ranks than cores, a message
 * may cost a whole time slice. If linked into a test program, this function replaces the function of UCX
 * and yields the core of an idle rank. MPICH without UCX never calls it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress_of_ucx)(void*) = NULL;
  if (progress_of_ucx == NULL) {
    void* const found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&progress_of_ucx, &found, sizeof found); /* ISO C cannot cast object to function pointers */
  }
  const unsigned progressed = progress_of_ucx(worker);
  if (progressed == 0) sched_yield();
  return progressed;
}
