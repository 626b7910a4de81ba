#include "collectives/launching/interposer_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

namespace fs = std::filesystem;

/// Returns the shared library that contains this code; empty if it is linked into the program.
fs::path own_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_library), &info) == 0) return {};
  const std::string_view file = info.dli_fname;  // argv[0] if the code is in the program itself
  return file.find(".so") == std::string_view::npos ? fs::path() : fs::path(file);
}

/// Returns the directories that may contain the interposer, the most likely first. An installed tree may have
/// been moved, so the configured prefix comes last.
std::vector<fs::path> interposer_folders() {
  std::vector<fs::path> folders;
  std::error_code code;
  for (const fs::path& file : {own_library(), fs::read_symlink("/proc/self/exe", code)}) {
    const fs::path folder = file.parent_path();
    if (folder.empty()) continue;
    folders.push_back(folder);
    for (const char* name :
         {PLIMSOLL_INSTALL_LIBDIR, "lib", "alltoallv", "mpi_calls"})  // the last two: the build tree
      folders.push_back(folder / ".." / name);
  }
  if (const char* list = std::getenv("LD_LIBRARY_PATH"))
    for (const std::string_view folder : support::split(list, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
  folders.emplace_back(PLIMSOLL_INSTALL_FULL_LIBDIR);
  return folders;
}

std::string find_file(const std::string& library, MpiFlavour flavour, const std::string& chosen) {
  using enum ProfileLaunchError::Cause;
  std::error_code code;
  if (!chosen.empty()) {
    if (!fs::is_regular_file(chosen, code))
      throw ProfileLaunchError(no_interposer,
                               support::system_error("cannot find the interposer", chosen, ENOENT));
    return fs::absolute(chosen).string();
  }
  const std::string name = fmt::format("libplimsoll-{}-{}.so", library, to_string(flavour));
  for (const fs::path& folder : interposer_folders())
    if (fs::exists(folder / name, code)) return fs::canonical(folder / name).string();
  throw ProfileLaunchError(
      no_interposer,
      support::system_error("cannot find the interposer", name, ENOENT,
                            "rebuild Plimsoll with this MPI, or specify the path of the interposer"));
}

std::string find_interposer(const std::string& library, MpiFlavour flavour, const std::string& chosen = {}) {
  std::string path = find_file(library, flavour, chosen);
  // LD_PRELOAD would be split at these characters, and the program would run without the interposer.
  if (path.find_first_of(" :") != std::string::npos)
    throw ProfileLaunchError(
        ProfileLaunchError::Cause::unusable_path,
        support::usage_error(
            "LD_PRELOAD cannot be set: the path of the interposer contains a space or a colon: " +
                support::in_quotes(path),
            "use a symbolic link whose path does not contain these characters, and specify that path"));
  return path;
}

}  // namespace

std::string find_interposers(MpiFlavour flavour, const ProfilingOptions& options, const std::string& chosen) {
  std::vector<std::string> paths;
  // The first library sees the calls as the program makes them.
  if (options.mpi) paths.push_back(find_interposer("mpi-calls", flavour));
  if (options.records_collectives()) paths.push_back(find_interposer("alltoallv", flavour, chosen));
  return fmt::format("{}", fmt::join(paths, ":"));
}

}  // namespace plimsoll::collectives
