/* Library that is preloaded into a program. Redirects reads of the files that show available memory from the
 * root directory to the directory PLIMSOLL_TEST_SYSTEM. Reports calls that write all data of a file system to
 * the disk, including data of other programs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE* redirected(const char* function, const char* path, const char* mode) {
  FILE* (*next)(const char*, const char*) = (FILE * (*)(const char*, const char*)) dlsym(RTLD_NEXT, function);
  const char* root = getenv("PLIMSOLL_TEST_SYSTEM");
  char other[PATH_MAX];
  if (root == NULL || (strcmp(path, "/proc/meminfo") != 0 && strcmp(path, "/proc/self/cgroup") != 0 &&
                       strncmp(path, "/sys/fs/cgroup/", strlen("/sys/fs/cgroup/")) != 0))
    return next(path, mode);
  snprintf(other, sizeof other, "%s%s", root, path);
  return next(other, mode);
}

FILE* fopen(const char* path, const char* mode) {
  return redirected("fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return redirected("fopen64", path, mode);
}

int syncfs(int descriptor) {
  (void)descriptor;
  fputs("syncs a whole file system\n", stderr);
  return 0;
}

void sync(void) {
  fputs("syncs a whole file system\n", stderr);
}
