#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder.hpp>

namespace plimsoll::inline v0_1::support {

void make_folder(const std::string& path) {
  if (path.empty()) return;
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) throw system_error("cannot create the folder", path, code.value(), "check name and permissions");
}

void sync_folder(const std::string& path) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot do that with folders, and need not.
  const bool synced = descriptor.is_open() && (::fsync(descriptor.number()) == 0 || errno == EINVAL);
  if (!synced) throw system_error("cannot write its entries to the disk", path, errno);
}

}  // namespace plimsoll::support
