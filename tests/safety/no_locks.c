/* Library that is preloaded into a program and makes file locking unsupported. */
#include <errno.h>
#include <sys/file.h>

int flock(int descriptor, int operation) {
  (void)descriptor;
  (void)operation;
  errno = ENOLCK;
  return -1;
}
