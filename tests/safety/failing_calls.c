/* Library that is preloaded into a program and lets its system calls fail, as rules in the environment
 * variable PLIMSOLL_TEST_FAULTS specify: words CALL:FAULT:N, separated by spaces, such as "write:ENOSPC:3".
 *
 *     CALL    read, write, sync, rename, renameat2, link, unlink, open or lock; each stands for all of its
 * variants FAULT   an error such as EIO; or short: transfers half of the bytes N       number of the call
 * that fails, from 1; 0: all calls, or every second one for EINTR
 *
 * Only files below PLIMSOLL_TEST_FAULT_FOLDER are affected. PLIMSOLL_TEST_FAULT_COUNT names a file to which a
 * byte is appended for each fault. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum call {
  call_read,
  call_write,
  call_sync,
  call_rename,
  call_renameat2,
  call_link,
  call_unlink,
  call_open,
  call_lock,
  calls
};
static const char* const names[calls] = {"read", "write",  "sync", "rename", "renameat2",
                                         "link", "unlink", "open", "lock"};
static atomic_int counts[calls];
enum { no_fault = 0, short_transfer = -1 };

static int number_of(const char* fault) {
  static const struct {
    const char* name;
    int number;
  } errors[] = {{"EIO", EIO},
                {"ENOSPC", ENOSPC},
                {"EINTR", EINTR},
                {"EINVAL", EINVAL},
                {"EOPNOTSUPP", EOPNOTSUPP},
                {"ENOSYS", ENOSYS},
                {"ENOLCK", ENOLCK},
                {"EPERM", EPERM},
                {"EMFILE", EMFILE},
                {"short", short_transfer}};
  for (size_t k = 0; k < sizeof errors / sizeof errors[0]; ++k)
    if (strcmp(errors[k].name, fault) == 0) return errors[k].number;
  abort();
}

static void count_fault(void) {
  const char* path = getenv("PLIMSOLL_TEST_FAULT_COUNT");
  if (path == NULL) return;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (syscall(SYS_write, file, "x", 1) != 1) abort();
  close(file);
}

/* Returns the fault of a call on a file: an errno, short_transfer or no_fault. */
static int fault_of(enum call call, const char* path) {
  const char* folder = getenv("PLIMSOLL_TEST_FAULT_FOLDER");
  const char* rules = getenv("PLIMSOLL_TEST_FAULTS");
  if (folder == NULL || rules == NULL || strncmp(path, folder, strlen(folder)) != 0) return no_fault;
  const int count = atomic_fetch_add(&counts[call], 1) + 1;
  char name[32], fault[32];
  int number = 0, size = 0;
  for (; sscanf(rules, " %31[^:]:%31[^:]:%d%n", name, fault, &number, &size) == 3; rules += size) {
    if (strcmp(name, names[call]) != 0) continue;
    const int found = number_of(fault);
    const int fails = number == 0 ? found != EINTR || count % 2 == 1 : number == count;
    if (!fails) continue;
    count_fault();
    return found;
  }
  return no_fault;
}

static int fault_of_descriptor(enum call call, int descriptor) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (readlink(link, path, sizeof path - 1) < 0) return no_fault;
  return fault_of(call, path);
}

/* Lets a call fail, and returns -1 from the function, if a rule applies. */
#define FAIL_IF(fault)         \
  do {                         \
    const int error = (fault); \
    if (error > 0) {           \
      errno = error;           \
      return -1;               \
    }                          \
  } while (0)
/* Lets a transfer fail, or changes its size to half. */
#define LIMIT(call, descriptor, size)                         \
  do {                                                        \
    const int error_ = fault_of_descriptor(call, descriptor); \
    if (error_ == short_transfer && (size) > 1) (size) /= 2;  \
    FAIL_IF(error_);                                          \
  } while (0)

ssize_t read(int file, void* buffer, size_t size) {
  LIMIT(call_read, file, size);
  return syscall(SYS_read, file, buffer, size);
}
ssize_t pread(int file, void* buffer, size_t size, off_t offset) {
  LIMIT(call_read, file, size);
  return syscall(SYS_pread64, file, buffer, size, offset);
}
ssize_t pread64(int file, void* buffer, size_t size, off64_t offset) {
  LIMIT(call_read, file, size);
  return syscall(SYS_pread64, file, buffer, size, offset);
}
ssize_t write(int file, const void* buffer, size_t size) {
  LIMIT(call_write, file, size);
  return syscall(SYS_write, file, buffer, size);
}
ssize_t pwrite(int file, const void* buffer, size_t size, off_t offset) {
  LIMIT(call_write, file, size);
  return syscall(SYS_pwrite64, file, buffer, size, offset);
}
ssize_t pwrite64(int file, const void* buffer, size_t size, off64_t offset) {
  LIMIT(call_write, file, size);
  return syscall(SYS_pwrite64, file, buffer, size, offset);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  const int fault = fault_of_descriptor(call_write, file);
  FAIL_IF(fault);
  return syscall(SYS_writev, file, parts, fault == short_transfer && count > 1 ? count / 2 : count);
}

int fsync(int file) {
  FAIL_IF(fault_of_descriptor(call_sync, file));
  return (int)syscall(SYS_fsync, file);
}
int rename(const char* from, const char* to) {
  FAIL_IF(fault_of(call_rename, from));
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  FAIL_IF(fault_of(call_renameat2, from));
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) {
  FAIL_IF(fault_of(call_link, from));
  return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char* path) {
  FAIL_IF(fault_of(call_unlink, path));
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int flock(int file, int operation) {
  FAIL_IF(fault_of_descriptor(call_lock, file));
  return (int)syscall(SYS_flock, file, operation);
}

static int open_with(const char* path, int flags, va_list arguments) {
  FAIL_IF(fault_of(call_open, path));
  const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int file = open_with(path, flags, arguments);
  va_end(arguments);
  return file;
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int file = open_with(path, flags, arguments);
  va_end(arguments);
  return file;
}
