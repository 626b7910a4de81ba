#include "collectives/launching/profile_content.hpp"

#include <filesystem>

#include <plimsoll/support/internal/output_set.hpp>

#include "collectives/files/stale_files.hpp"
#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

ProfileContent profile_content(const std::string& folder) {
  ProfileContent content = ProfileContent::nothing;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (is_profile_file(entry.path().filename().string()))
      // Logs remain if a program was killed while publishing.
      return support::is_being_published(folder, "") ? ProfileContent::logs : ProfileContent::files;
    if (content == ProfileContent::nothing && log_header_of(entry)) content = ProfileContent::logs;
  }
  return content;
}

ProfileFiles::ProfileFiles(const std::string& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (is_profile_file(entry.path().filename().string()))
      if (const auto file = support::identity(entry.path().string())) files_[entry.path().string()] = *file;
}

void ProfileFiles::remove() const {
  std::error_code ignored;
  for (const auto& [path, file] : files_)
    if (support::identity(path) == file) std::filesystem::remove(path, ignored);
}

}  // namespace plimsoll::collectives
