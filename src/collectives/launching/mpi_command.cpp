#include "collectives/launching/mpi_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/launching/elf_needs.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

namespace fs = std::filesystem;

/// Returns the directories in an environment variable such as PATH.
std::vector<std::string> folders_in(const char* variable) {
  const char* const list = std::getenv(variable);
  if (list == nullptr) return {};
  const std::vector<std::string_view> folders = support::split(list, ':');
  return {folders.begin(), folders.end()};
}

// Recognises an MPI by the name of its library. MPICH and binary-compatible MPIs have libmpi.so.12.
std::optional<MpiFlavour> flavour_of_library(const std::string& name) {
  const auto is = [&](const char* library) { return name.starts_with(std::string(library) + ".so"); };
  if (is("libmpich") || is("libmpichfort") || is("libmpichf90") || is("libmpifort") ||
      name.starts_with("libmpi.so.12"))
    return MpiFlavour::mpich;
  if (is("libmpi") || is("libmpi_mpifh") || is("libmpi_usempif08") || is("libmpi_usempi_ignore_tkr") ||
      is("libmpi_cxx"))
    return MpiFlavour::openmpi;
  return std::nullopt;
}

std::optional<MpiFlavour> flavour_of_libraries(const ElfNeeds& needs) {
  for (const std::string& library : needs.libraries)
    if (const auto flavour = flavour_of_library(library)) return flavour;
  return std::nullopt;
}

// Returns the directories where the loader searches for libraries.
std::vector<std::string> default_library_folders() {
  std::vector<std::string> folders = folders_in("LD_LIBRARY_PATH");
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("/etc/ld.so.conf.d", code)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (line.starts_with('/')) folders.push_back(line);
  }
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) folders.emplace_back(folder);
  return folders;
}

std::optional<MpiFlavour> flavour_of_program(const std::string& path) {
  const auto needs = read_elf_needs(path);
  if (!needs) return std::nullopt;
  if (const auto flavour = flavour_of_libraries(*needs)) return flavour;
  std::vector<std::string> folders = needs->folders;
  std::ranges::copy(default_library_folders(), std::back_inserter(folders));
  for (const std::string& library : needs->libraries) {
    for (const std::string& folder : folders) {
      const auto its_needs = read_elf_needs((std::filesystem::path(folder) / library).string());
      if (!its_needs) continue;
      if (const auto flavour = flavour_of_libraries(*its_needs)) return flavour;
      break;
    }
  }
  return std::nullopt;
}

bool contains_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

void find_launcher(const std::string& word, MpiCommand& understood) {
  const std::string name = fs::path(word).filename().string();
  if (name == "srun") {
    understood.launcher = Launcher::slurm;
    return;
  }
  if (!contains_any(name, {"mpirun", "mpiexec", "orterun", "prterun", "hydra"})) return;
  std::error_code code;
  const std::string file = fs::canonical(find_program(word), code).string();
  const std::string names = name + " " + fs::path(file).filename().string();
  for (const std::string& text : {names, file}) {  // takes precedence over the link's target
    if (contains_any(text, {"hydra", "mpich"})) {
      understood.launcher = Launcher::hydra;
      return;
    }
    if (contains_any(text, {"orterun", "prterun", "openmpi"})) {
      understood.launcher = Launcher::openmpi;
      return;
    }
  }
  understood.launcher_unknown = true;
}

}  // namespace

const char* to_string(MpiFlavour flavour) {
  return support::name_of(mpi_flavours, flavour);
}

std::string find_program(const std::string& word) {
  if (word.empty()) return {};
  if (word.find('/') != std::string::npos) return word;
  for (const std::string& path : support::program_paths(word)) {
    std::error_code code;
    if (fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

bool links_mpi(const std::string& path) {
  return flavour_of_program(path).has_value();
}

MpiCommand understand(const std::vector<std::string>& command) {
  MpiCommand understood;
  find_launcher(command.front(), understood);
  for (const std::string& word : command) {
    const std::string path = find_program(word);
    if (path.empty() || ::access(path.c_str(), X_OK) != 0) continue;
    understood.application = flavour_of_program(path);
    if (understood.application) break;
  }
  return understood;
}

}  // namespace plimsoll::collectives
