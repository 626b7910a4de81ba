#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/launching/launch_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t max_table_bytes = std::uint64_t{16} << 20;
// Maximum total size of the names: many entries could refer to the same long text.
constexpr std::size_t max_names_bytes = 64 << 10;
constexpr unsigned char own_byte_order =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(path, std::ios::binary) {}

  std::string part(std::uint64_t offset, std::uint64_t size) {
    if (size > max_table_bytes || offset > INT64_MAX) return {};
    std::string bytes(size, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(file_.gcount() > 0 ? static_cast<std::size_t>(file_.gcount()) : 0);
    return bytes;
  }

  template <class Entry>
  std::vector<Entry> table(std::uint64_t offset, std::uint64_t size) {
    const std::string bytes = part(offset, size);
    std::vector<Entry> entries(bytes.size() / sizeof(Entry));
    if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Entry));
    return entries;
  }

 private:
  std::ifstream file_;
};

bool is_native(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == own_byte_order && header.e_phentsize == sizeof(Elf64_Phdr);
}

// Returns the file offset of a virtual address, or UINT64_MAX if the file does not contain it.
std::uint64_t offset_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return UINT64_MAX;
}

std::string string_at(const std::string& strings, std::uint64_t offset) {
  return offset < strings.size() ? std::string(strings.c_str() + offset) : "";
}

// Splits a list such as "$ORIGIN/../lib:/opt/lib".
std::vector<std::string> folders_of(const std::string& list, const std::string& origin) {
  std::vector<std::string> folders;
  for (const std::string_view part : support::split(list, ':')) {
    std::string folder(part);
    for (const std::string name : {"${ORIGIN}", "$ORIGIN"})
      if (const std::size_t place = folder.find(name); place != std::string::npos)
        folder.replace(place, name.size(), origin);
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

namespace fs = std::filesystem;

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
  support::for_each_readable_entry("/etc/ld.so.conf.d", [&](const support::FolderEntry& entry) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (line.starts_with('/')) folders.push_back(line);
  });
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
  constexpr std::string_view others[] = {"jsrun", "flux", "aprun", "palsrun", "ibrun"};
  if (std::ranges::find(others, name) != std::end(others)) {
    understood.launcher = Launcher::other;
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

bool links_mpi(const std::string& program) {
  return flavour_of_program(program).has_value();
}

bool contains_mpi(const std::string& program) {
  return !links_mpi(program) && contains(program, "PMPI_Init");
}

}  // namespace

std::optional<ElfNeeds> read_elf_needs(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return std::nullopt;
  ElfFile file(path);
  const auto headers = file.table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
  if (headers.empty() || !is_native(headers[0])) return std::nullopt;
  const auto segments =
      file.table<Elf64_Phdr>(headers[0].e_phoff, std::uint64_t{headers[0].e_phnum} * sizeof(Elf64_Phdr));
  ElfNeeds needs;
  const auto dynamic = std::ranges::find(segments, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  if (dynamic == segments.end()) return needs;
  auto entries = file.table<Elf64_Dyn>(dynamic->p_offset, dynamic->p_filesz);
  entries.erase(std::ranges::find(entries, Elf64_Sxword{DT_NULL}, &Elf64_Dyn::d_tag), entries.end());
  const auto value_of = [&](Elf64_Sxword tag) {
    const auto entry = std::ranges::find(entries, tag, &Elf64_Dyn::d_tag);
    return entry == entries.end() ? 0 : entry->d_un.d_val;
  };
  const std::string strings = file.part(offset_of(segments, value_of(DT_STRTAB)), value_of(DT_STRSZ));
  const std::string origin = std::filesystem::absolute(path, code).parent_path().string();
  std::size_t room = max_names_bytes;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    const std::string text = string_at(strings, entry.d_un.d_val);
    if (text.size() > room) break;
    room -= text.size();
    if (entry.d_tag == DT_NEEDED && !text.empty()) needs.libraries.push_back(text);
    if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
      std::ranges::copy(folders_of(text, origin), std::back_inserter(needs.folders));
  }
  return needs;
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

bool names_mpi_program(const std::string& word) {
  const std::string path = find_program(word);
  return !path.empty() && links_mpi(path);
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

EmptyProfile explain_empty_profile(const std::vector<std::string>& command,
                                   const CollectedEvidence& evidence) {
  using enum EmptyProfileCause;
  if (evidence.has(Evidence::other_mpi)) return {other_mpi, {}};
  if (evidence.has(Evidence::no_calls)) return {no_calls, {}};
  if (evidence.has(Evidence::unseen_init)) return {unseen_init, {}};
  if (evidence.has(Evidence::not_finalised)) return {not_finalised, {}};
  if (evidence.has(Evidence::intercepted)) return {not_recorded, {}};
  if (evidence.has(Evidence::unseen_mpi)) return {dlopened_mpi, {}};
  if (evidence.has(Evidence::sessions)) return {sessions, {}};
  const std::vector<std::string> programs = programs_of(command);
  for (const auto& [cause, applies] :
       {std::pair(static_program, &is_static), {privileged, &is_privileged}, {static_mpi, &contains_mpi}})
    if (const auto program = std::ranges::find_if(programs, applies); program != programs.end())
      return {cause, *program};
  const bool lost = !evidence.has(Evidence::loaded) || std::ranges::any_of(programs, links_mpi);
  return {lost ? not_loaded : no_mpi, {}};
}

}  // namespace plimsoll::collectives
