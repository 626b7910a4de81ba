#include "support/process/pipe.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

// Returns a descriptor above those of the standard streams, even if these are closed in this process.
// Otherwise, the child could overwrite it when it sets its standard streams one after another.
Descriptor opened(int number, const char* what, const std::string& program) {
  if (number < 0) throw system_error(what, program, errno);
  Descriptor low(number);
  if (number > STDERR_FILENO) return low;
  const int high = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (high < 0) throw system_error(what, program, errno);
  return Descriptor(high);
}

}  // namespace

Pipe make_pipe(const std::string& program) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot create a pipe to", program, errno);
  Pipe pipe;
  pipe.read_end = opened(ends[0], "cannot create a pipe to", program);
  pipe.write_end = opened(ends[1], "cannot create a pipe to", program);
  ::fcntl(pipe.read_end.number(), F_SETFL, O_NONBLOCK);
  return pipe;
}

Descriptor input_file(const std::string& input, const std::string& program) {
  Descriptor file = opened(::memfd_create("input", MFD_CLOEXEC), "cannot store the input of", program);
  for (std::string_view rest = input; !rest.empty();) {
    const ssize_t written = ::write(file.number(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("cannot store the input of", program, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

}  // namespace plimsoll::support
