#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder.hpp>
#include <plimsoll/support/output_set.hpp>

namespace plimsoll::support {

namespace fs = std::filesystem;

namespace {

void remove_superseded(const std::string& path) {
  std::error_code code;
  fs::remove(path, code);
  if (code) throw system_error("cannot remove a file that has been replaced", path, code.value());
}

/// Everything written to the file system of a folder, in one go.
void sync_file_system(const std::string& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open() || ::syncfs(descriptor.number()) != 0)
    throw system_error("cannot bring its files to the disk", folder, errno);
}

}  // namespace

OutputSet::OutputSet(std::string folder, bool overwrite) : folder_(std::move(folder)), overwrite_(overwrite) {
  make_folder(folder_);
}

OutputSet::~OutputSet() {
  for (; published_ < paths_.size(); ++published_) {
    std::error_code ignored;
    fs::remove(paths_[published_] + ".partial", ignored);
  }
}

OutputFile OutputSet::create(const std::string& name, OutputOptions options) {
  options.overwrite = overwrite_;
  OutputFile file((fs::path(folder_) / name).string(), options);
  // Only now: a `.partial` that could not be made is another program's.
  const std::lock_guard lock(mutex_);
  paths_.push_back(file.path());
  return file;
}

void OutputSet::publish(const std::vector<std::string>& superseded) {
  sync_file_system(folder_);
  for (; published_ < paths_.size(); ++published_) OutputFile::publish(paths_[published_], overwrite_);
  if (!superseded.empty()) sync_folder(folder_);  // the new names first: a crash must not lose both
  for (const std::string& path : superseded) remove_superseded(path);
  sync_folder(folder_);
}

}  // namespace plimsoll::support
