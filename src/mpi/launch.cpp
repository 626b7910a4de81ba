#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

/// Variables with the number of processes, and the MPI whose launcher sets them. Those of batch systems
/// are missing, because serial programs in their scripts have them, too.
struct Launcher {
  const char* variable;
  const char* mpi;
};
constexpr std::array<Launcher, 2> launchers = {
    {{"PMI_SIZE", "MPICH or a relative of it"}, {"OMPI_COMM_WORLD_SIZE", "Open MPI"}}};

int processes_of(const Launcher& launcher) {
  const char* const text = std::getenv(launcher.variable);
  return text == nullptr ? 0 : support::parse_number<int>(text).value_or(0);
}

/// Returns the name and version of the MPI of this program.
std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int size = 0;
  check(MPI_Get_library_version(text.data(), &size), "MPI_Get_library_version");
  const std::string_view all(text.data(), static_cast<std::size_t>(size));
  std::string line(all.substr(0, all.find_first_of(",\n")));
  for (char& each : line)
    if (each == '\t') each = ' ';
  return line;
}

}  // namespace

void expect_launched_together() {
  expect_running();
  int size = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  if (size > 1) return;
  const Launcher* foreign = nullptr;
  for (const Launcher& launcher : launchers) {
    if (processes_of(launcher) == 1) return;  // the others are from outside, e.g. a shell in a job
    if (processes_of(launcher) > 1) foreign = &launcher;
  }
  if (foreign == nullptr) return;
  throw support::usage_error(
      fmt::format(
          "each process is the only one of its MPI program, but the launcher has started {} ({}): the "
          "program is linked with {}, and the launcher belongs to {}",
          processes_of(*foreign), foreign->variable, library_name(), foreign->mpi),
      "use the mpirun of the MPI with which the program is linked, or rebuild the program and the Plimsoll "
      "libraries for the MPI of the launcher");
}

}  // namespace plimsoll::mpi
