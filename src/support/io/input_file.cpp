#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

Descriptor open_input_file(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would block before it can be rejected.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open())
    throw system_error("cannot open for reading", path, errno, "check its name and permissions");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw system_error("cannot determine its size", path, errno);
  if (S_ISDIR(status.st_mode))
    throw bad_input("is a directory: expected a file", path, "specify a file in it");
  if (!S_ISREG(status.st_mode))
    throw bad_input("is a pipe, a device or a socket: expected a file", path,
                    "use a file that contains its output");
  return file;
}

}  // namespace plimsoll::support
