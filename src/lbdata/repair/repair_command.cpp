#include "lbdata/repair/repair_command.hpp"

#include <fmt/format.h>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "lbdata/repair/phase_rescue.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

bool has_siblings(const std::string& path) {
  try {
    return files_of_base(support::folder_of(path), set_name(path)).size() > 1;
  } catch (const Error&) {
    return false;  // a file can be readable in a directory that is not
  }
}

/// Returns the name of a directory that does not exist yet, such as "data-repaired" for "data".
std::string new_folder_next_to(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const bool is_named = path.has_filename() && path.filename() != "." && path.filename() != "..";
  const std::string name =
      is_named ? path.string() + "-repaired" : (path / "repaired").lexically_normal().string();
  std::string free_name = name;
  for (int k = 2; support::identity(free_name); ++k) free_name = fmt::format("{}-{}", name, k);
  return free_name;
}

}  // namespace

std::string repair_in_place_command(const std::string& folder) {
  return "plimsoll repair " + support::shell_quoted(folder.empty() ? "." : folder);
}

std::string copy_folder_command(const std::string& folder) {
  return fmt::format("{} -o {}", repair_in_place_command(folder),
                     support::shell_quoted(new_folder_next_to(folder)));
}

std::string copy_files_command(const std::vector<std::string>& files) {
  const std::string folder = support::folder_of(files.front());
  if (has_siblings(files.front())) return copy_folder_command(folder);
  std::string command = "plimsoll repair";
  for (const std::string& file : files) command += " " + support::shell_quoted(file);
  return fmt::format("{} -o {}", command, support::shell_quoted(new_folder_next_to(folder) + "/"));
}

std::string repair_command(const std::vector<std::string>& files, const support::SizeLimits& limits) {
  std::vector<std::string> repairable;
  for (const std::string& file : files)
    if (file_state(file, limits) == FileState::repairable) repairable.push_back(file);
  return repairable.empty() ? "" : copy_files_command(repairable);
}

}  // namespace plimsoll::lbdata
