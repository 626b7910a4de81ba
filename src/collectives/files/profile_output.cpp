#include "collectives/files/profile_output.hpp"

#include <filesystem>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "collectives/files/stale_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Locks the directory, so that jobs that end at the same time wait for each other.
support::FolderLock lock(const std::string& folder) {
  constexpr double patience_s = 60;
  support::make_folder(folder);
  return support::FolderLock(folder, {.patience_s = patience_s});
}

}  // namespace

ProfileOutput::ProfileOutput(std::string folder, bool overwrite)
    : folder_(std::move(folder)), overwrite_(overwrite), files_(lock(folder_), overwrite) {}

void ProfileOutput::add(const std::string& name, const std::function<void(support::TextBuffer&)>& write) {
  support::OutputFile file = files_.create(name);
  support::TextBuffer output([&file](std::string_view text) { file.write(text); });
  write(output);
  output.drain();
  file.finish();
}

std::vector<std::string> ProfileOutput::publish() {
  if (overwrite_) {
    std::vector<std::string> names;
    for (const std::string& path : files_.paths())
      names.push_back(std::filesystem::path(path).filename().string());
    for (const std::string& path : stale_files(folder_, names))
      if (const auto file = support::identity(path)) files_.supersede(path, *file);
  }
  files_.publish();
  return files_.paths();
}

}  // namespace plimsoll::collectives
