/* Preloaded into a program: its file systems cannot lock. */
#include <errno.h>
#include <sys/file.h>

int flock(int descriptor, int operation) {
  (void)descriptor;
  (void)operation;
  errno = ENOLCK;
  return -1;
}
