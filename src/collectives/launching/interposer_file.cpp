#include "collectives/launching/interposer_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>

#include <plimsoll/support/error.hpp>

namespace plimsoll::collectives {

namespace fs = std::filesystem;

std::string find_interposer(MpiFlavour flavour, const std::string& chosen) {
  std::error_code code;
  if (!chosen.empty()) {
    if (!fs::is_regular_file(chosen, code))
      throw support::system_error("cannot find the interposer", chosen, ENOENT);
    return fs::absolute(chosen).string();
  }
  const std::string name = fmt::format("libplimsoll-alltoallv-{}.so", to_string(flavour));
  const fs::path program = fs::read_symlink("/proc/self/exe", code).parent_path();
  const fs::path folders[] = {program / ".." / PLIMSOLL_INSTALL_LIBDIR, program / ".." / "lib",
                              program / ".." / "alltoallv", PLIMSOLL_INSTALL_FULL_LIBDIR};
  for (const fs::path& folder : folders)
    if (fs::exists(folder / name, code)) return fs::canonical(folder / name).string();
  throw support::system_error(
      "cannot find the interposer", name, ENOENT,
      "say where it is by --interposer; it is there if Plimsoll was built with that MPI");
}

}  // namespace plimsoll::collectives
