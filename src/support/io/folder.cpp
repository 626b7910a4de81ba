#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

// Syncs a directory unless it cannot be opened: a directory may be writable but not readable.
void sync_if_possible(const std::filesystem::path& folder) {
  const Descriptor descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) ::fsync(descriptor.number());
}

}  // namespace

void make_folder(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return;
  std::error_code code;
  std::vector<fs::path> missing;
  for (fs::path folder = path; !folder.empty() && !fs::exists(folder, code); folder = folder.parent_path())
    missing.push_back(folder);
  fs::create_directories(path, code);
  if (code)
    throw system_error("cannot create the directory", path, code.value(), "check its name and permissions");
  for (const fs::path& folder : missing) sync_if_possible(folder.parent_path());
}

void for_each_entry(const std::string& folder,
                    const std::function<void(const std::filesystem::directory_entry&)>& visit) {
  std::error_code code;
  std::filesystem::directory_iterator entry(folder, code);
  for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) visit(*entry);
  if (code)
    throw system_error("cannot read the directory", folder, code.value(), "check its name and permissions");
}

void sync_folder(const std::string& path) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync directories, and need not do so.
  const bool synced = descriptor.is_open() && (::fsync(descriptor.number()) == 0 || errno == EINVAL);
  if (!synced) throw system_error("cannot write the directory's entries to the disk", path, errno);
}

}  // namespace plimsoll::support
