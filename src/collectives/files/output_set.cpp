#include "collectives/files/output_set.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/output_file.hpp>

#include "collectives/files/stale_files.hpp"

namespace plimsoll::collectives {

namespace fs = std::filesystem;

OutputSet::OutputSet(std::string folder, bool overwrite) : folder_(std::move(folder)), overwrite_(overwrite) {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code)
    throw support::system_error("cannot make the folder", folder_, code.value(),
                                "check name and permissions");
}

OutputSet::~OutputSet() {
  for (; published_ < paths_.size(); ++published_) {
    std::error_code ignored;
    fs::remove(paths_[published_] + ".partial", ignored);
  }
}

void OutputSet::add(const std::string& name, const std::function<void(TextOutput&)>& write) {
  support::OutputFile file((fs::path(folder_) / name).string(), {.overwrite = overwrite_});
  paths_.push_back(file.path());
  TextOutput output([&file](std::string_view text) { file.write(text); });
  write(output);
  output.drain();
  file.finish();
}

std::vector<std::string> OutputSet::publish() {
  sync(::syncfs);
  for (; published_ < paths_.size(); ++published_)
    support::OutputFile::publish(paths_[published_], overwrite_);
  if (overwrite_) remove_stale_files();
  sync(::fsync);
  return paths_;
}

void OutputSet::remove_stale_files() const {
  std::vector<std::string> names;
  for (const std::string& path : paths_) names.push_back(fs::path(path).filename().string());
  for (const std::string& path : stale_files(folder_, names)) {
    std::error_code code;
    fs::remove(path, code);
    if (code)
      throw support::system_error("cannot remove what is left of a former profile", path, code.value());
  }
}

void OutputSet::sync(int (*sync_descriptor)(int)) const {
  const int descriptor = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && sync_descriptor(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw support::system_error("cannot bring its files to the disk", folder_, error);
}

}  // namespace plimsoll::collectives
