/* Preloaded into a program: notes in the file PLIMSOLL_TEST_SYNCED what is on the disk, a line for each
 * event: sync INODE       the content of a file is folder INODE     the names in a folder are and kills the
 * program at the event PLIMSOLL_TEST_CUT_AT (1, 2, ...; none if it is not set) of any that change or sync
 * names: fsync(), rename(), renameat2(), link(), unlink(). With PLIMSOLL_TEST_SNAPSHOT, that file says how
 * many events there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int events;

static void event(const char* text) {
  const int number = atomic_fetch_add(&events, 1) + 1;
  const char* cut_at = getenv("PLIMSOLL_TEST_CUT_AT");
  if (cut_at != NULL && number == atoi(cut_at)) kill(getpid(), SIGKILL);
  const char* path = getenv("PLIMSOLL_TEST_SYNCED");
  if (path == NULL) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (write(file, text, strlen(text)) < 0) abort();
  close(file);
}

int fsync(int descriptor) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  const int result = next(descriptor);
  struct stat status;
  char text[64];
  if (fstat(descriptor, &status) != 0) return result;
  snprintf(text, sizeof text, "%s %lu\n", S_ISDIR(status.st_mode) ? "folder" : "sync",
           (unsigned long)status.st_ino);
  event(text);
  return result;
}

int rename(const char* from, const char* to) {
  int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  event("rename\n");
  return next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  int (*next)(int, const char*, int, const char*, unsigned) =
      (int (*)(int, const char*, int, const char*, unsigned))dlsym(RTLD_NEXT, "renameat2");
  event("rename\n");
  return next(from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) {
  int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "link");
  event("link\n");
  return next(from, to);
}

int unlink(const char* path) {
  int (*next)(const char*) = (int (*)(const char*))dlsym(RTLD_NEXT, "unlink");
  event("unlink\n");
  return next(path);
}
