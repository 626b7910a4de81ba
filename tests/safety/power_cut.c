/* Library that is preloaded into a program. Logs syncs and name changes to the file PLIMSOLL_TEST_SYNCED, one
 * line per event with tab-separated fields:
 *
 *     sync INODE                   the content of a file has been written to the disk
 *     folder INODE                 the names in a directory have been written to the disk
 *     rename FROM TO KEPT          KEPT is another name of the file that was replaced, if any
 *     link FROM TO
 *     unlink PATH KEPT
 *
 * If PLIMSOLL_TEST_CUT_AT is set to N (1, 2, ...), the library kills the program before event N. */
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

static void note(const char* text) {
  const char* path = getenv("PLIMSOLL_TEST_SYNCED");
  if (path == NULL) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (write(file, text, strlen(text)) < 0) abort();
  close(file);
}

/* Called before each event. If the event removes a name of a file, links the file as KEPT. */
static void event(const char* loses_name, char* kept, size_t size) {
  const int number = atomic_fetch_add(&events, 1) + 1;
  const char* cut_at = getenv("PLIMSOLL_TEST_CUT_AT");
  if (cut_at != NULL && number == atoi(cut_at)) kill(getpid(), SIGKILL);
  const char* path = getenv("PLIMSOLL_TEST_SYNCED");
  if (path == NULL || loses_name == NULL) return;
  snprintf(kept, size, "%s.%d", path, number);
  linkat(AT_FDCWD, loses_name, AT_FDCWD, kept, 0);
}

static int noted(int result, const char* line) {
  if (result == 0) note(line);
  return result;
}

int fsync(int descriptor) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  event(NULL, NULL, 0);
  struct stat status;
  char line[64] = "";
  if (fstat(descriptor, &status) == 0)
    snprintf(line, sizeof line, "%s\t%lu\n", S_ISDIR(status.st_mode) ? "folder" : "sync",
             (unsigned long)status.st_ino);
  return noted(next(descriptor), line);
}

int rename(const char* from, const char* to) {
  int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  char line[4096], kept[1024] = "";
  event(to, kept, sizeof kept);
  snprintf(line, sizeof line, "rename\t%s\t%s\t%s\n", from, to, kept);
  return noted(next(from, to), line);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  int (*next)(int, const char*, int, const char*, unsigned) =
      (int (*)(int, const char*, int, const char*, unsigned))dlsym(RTLD_NEXT, "renameat2");
  char line[4096], kept[1024] = "";
  event(to, kept, sizeof kept);
  snprintf(line, sizeof line, "rename\t%s\t%s\t%s\n", from, to, kept);
  return noted(next(from_folder, from, to_folder, to, flags), line);
}

int link(const char* from, const char* to) {
  int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "link");
  char line[4096];
  event(NULL, NULL, 0);
  snprintf(line, sizeof line, "link\t%s\t%s\n", from, to);
  return noted(next(from, to), line);
}

static int without_name(const char* function, const char* path) {
  int (*next)(const char*) = (int (*)(const char*))dlsym(RTLD_NEXT, function);
  char line[4096], kept[1024] = "";
  event(path, kept, sizeof kept);
  snprintf(line, sizeof line, "unlink\t%s\t%s\n", path, kept);
  return noted(next(path), line);
}

int unlink(const char* path) {
  return without_name("unlink", path);
}

/* std::filesystem::remove() calls this function. The C library's version would not call the unlink() above.
 */
int remove(const char* path) {
  return without_name("remove", path);
}
