#include "collectives/launching/profile_content.hpp"

#include <algorithm>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/output_set.hpp>

#include "collectives/merging/log_reader.hpp"

namespace plimsoll::inline v0_1::collectives {

namespace {

bool is_file_of_collectives(const std::string& name) {
  if (name.ends_with(".unfinished")) return false;
  return std::ranges::any_of(
      std::initializer_list<const char*>{"send-counters.", "recv-counters.", "counts-rank", "counts.rank",
                                         "collectives.job"},
      [&](const char* beginning) { return name.starts_with(beginning); });
}

bool is_profile_file(const std::string& name) {
  return is_file_of_collectives(name) || name == mpi_calls_file_name;
}

}  // namespace

ProfileContent profile_content(const std::string& folder, std::filesystem::file_time_type since) {
  ProfileContent content = ProfileContent::nothing;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (entry.last_write_time(code) < since) continue;
    if (is_profile_file(name))  // logs remain if a program was killed while publishing
      return support::is_being_published(folder, "") ? ProfileContent::logs : ProfileContent::files;
    if (content == ProfileContent::nothing && log_header_of(entry)) content = ProfileContent::logs;
  }
  return content;
}

std::vector<support::FileIdentity> files_of_collectives(const std::string& folder) {
  std::vector<support::FileIdentity> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (is_file_of_collectives(entry.path().filename().string()))
      if (const auto file = support::identity(entry.path().string())) files.push_back(*file);
  return files;
}

bool was_published(const std::string& folder, const std::vector<support::FileIdentity>& before) {
  if (support::is_being_published(folder, "")) return false;
  return std::ranges::any_of(files_of_collectives(folder), [&](const support::FileIdentity& file) {
    return std::ranges::find(before, file) == before.end();
  });
}

}  // namespace plimsoll::collectives
