#include "collectives/launching/empty_profile.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <fstream>

#include <plimsoll/support/internal/output_set.hpp>

#include "collectives/files/file_names.hpp"
#include "collectives/launching/mpi_command.hpp"
#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

ProfileContent profile_content(const std::string& folder) {
  ProfileContent content = ProfileContent::nothing;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (FileName::parse(entry.path().filename().string()))
      // Logs remain if a program was killed while publishing.
      return support::is_being_published(folder, "") ? ProfileContent::logs : ProfileContent::files;
    if (content == ProfileContent::nothing && log_header_of(entry)) content = ProfileContent::logs;
  }
  return content;
}

ProfileFiles::ProfileFiles(const std::string& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (FileName::parse(entry.path().filename().string()))
      if (const auto file = support::identity(entry.path().string())) files_[entry.path().string()] = *file;
}

void ProfileFiles::remove() const {
  std::error_code ignored;
  for (const auto& [path, file] : files_)
    if (support::identity(path) == file) std::filesystem::remove(path, ignored);
}

namespace {

bool is_launcher(const std::string& word) {
  const MpiCommand understood = understand({word});
  return understood.launcher != Launcher::none || understood.launcher_unknown;
}

/// Returns the paths of the compiled programs that a command names, without launchers and libraries to
/// preload.
std::vector<std::string> programs_of(const std::vector<std::string>& command) {
  std::vector<std::string> paths;
  for (const std::string& word : command) {
    const std::string path = find_program(word);
    if (!path.empty() && read_elf_needs(path) && !path.ends_with(".so") && !is_launcher(word))
      paths.push_back(path);
  }
  return paths;
}

bool is_static(const std::string& program) {
  const auto needs = read_elf_needs(program);
  return needs && needs->libraries.empty();
}

/// Returns whether the system ignores LD_PRELOAD for security: see "secure-execution mode" in ld.so(8).
bool is_privileged(const std::string& program) {
  struct stat status = {};
  return ::stat(program.c_str(), &status) == 0 &&
         ((status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
          ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0);
}

/// Returns whether a file contains a text, such as the name of a function in its symbol table.
bool contains(const std::string& path, std::string_view text) {
  constexpr std::size_t part_bytes = std::size_t{1} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string part;
  while (file) {
    const std::size_t kept = std::min(part.size(), text.size() - 1);
    part.erase(0, part.size() - kept);  // the text may continue in the next part
    part.resize(kept + part_bytes);
    file.read(part.data() + kept, part_bytes);
    part.resize(kept + static_cast<std::size_t>(file.gcount()));
    if (part.find(text) != std::string::npos) return true;
  }
  return false;
}

bool contains_mpi(const std::string& program) {
  return !links_mpi(program) && contains(program, "PMPI_Init");
}

template <class Condition>
std::optional<std::string> first_of(const std::vector<std::string>& programs, Condition condition) {
  for (const std::string& program : programs)
    if (condition(program)) return program;
  return std::nullopt;
}

}  // namespace

EmptyProfile explain_empty_profile(const std::vector<std::string>& command,
                                   const CollectedEvidence& evidence) {
  using enum EmptyProfileCause;
  if (evidence.has(Evidence::other_mpi)) return {other_mpi, {}};
  if (evidence.has(Evidence::no_calls)) return {no_calls, {}};
  if (evidence.has(Evidence::not_finalised)) return {not_finalised, {}};
  if (evidence.has(Evidence::intercepted)) return {not_recorded, {}};
  if (evidence.has(Evidence::unseen_mpi)) return {dlopened_mpi, {}};
  const std::vector<std::string> programs = programs_of(command);
  if (const auto program = first_of(programs, is_static)) return {static_program, *program};
  if (const auto program = first_of(programs, is_privileged)) return {privileged, *program};
  if (const auto program = first_of(programs, contains_mpi)) return {static_mpi, *program};
  const bool lost = !evidence.has(Evidence::loaded) || first_of(programs, links_mpi);
  return {lost ? not_loaded : no_mpi, {}};
}

}  // namespace plimsoll::collectives
