#include <CLI/Version.hpp>

#include <plimsoll/balance/internal/used_libraries.hpp>
#include <plimsoll/report/internal/used_libraries.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/used_library.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"

#ifdef PLIMSOLL_WITH_COLLECTIVES
#include <plimsoll/collectives/internal/used_libraries.hpp>
#endif
#ifdef PLIMSOLL_WITH_PELAYOUT
#include <plimsoll/pelayout/internal/used_libraries.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using support::UsedLibrary;

/// Returns the libraries that are loaded when a strategy or a subcommand needs them.
std::vector<UsedLibrary> optional_libraries() {
  std::vector<UsedLibrary> libraries = balance::used_libraries();
#ifdef PLIMSOLL_WITH_PELAYOUT
  libraries.push_back(pelayout::cbc_library());
  libraries.push_back(pelayout::libarchive_library());
#endif
#ifdef PLIMSOLL_WITH_COLLECTIVES
  libraries.push_back(collectives::otf2_library());
#endif
  libraries.push_back(report::web_server_library());
  return libraries;
}

std::vector<UsedLibrary> linked_libraries() {
  std::vector<UsedLibrary> libraries = support::used_libraries();
  libraries.push_back({.name = "CLI11", .version = CLI11_VERSION});
#ifdef PLIMSOLL_WITH_PELAYOUT
  std::ranges::move(pelayout::linked_libraries(), std::back_inserter(libraries));
#endif
  return libraries;
}

/// Returns the line of a property, which fits on a terminal of 80 columns.
std::string line(std::string_view name, const std::string& value) {
  constexpr std::size_t columns = 80;
  const std::string text = fmt::format("{:<12} {}", name, support::printable(value));
  return text.size() <= columns ? text : std::string(support::utf8_prefix(text, columns - 3)) + "...";
}

std::string state_of(const UsedLibrary& library) {
  if (!library.is_built_in) return "not built in";
  if (!library.problem.empty()) {
    std::string_view cause = library.problem;
    support::take(cause, fmt::format("cannot load {}: ", library.name));
    return fmt::format("built in, but not usable now: {}", cause);
  }
  std::string state = "built in, found: " + (library.version.empty() ? "version unknown" : library.version);
  if (library.index_bits) state += fmt::format(", indices of {} bits", *library.index_bits);
  return state;
}

std::string list_of(const std::vector<support::BuiltMpi>& mpis) {
  return mpis.empty() ? "none" : joined(mpis, ", ", [](const support::BuiltMpi& mpi) {
    return fmt::format("{} {}", mpi.name, mpi.version.empty() ? "(version unknown)" : mpi.version);
  });
}

}  // namespace

std::string version_details() {
  const support::Build build = support::this_build();
  std::vector<std::string> lines = {
      line("compiler", build.compiler),
      line("build type", build.type.empty() ? "not specified" : build.type),
      line("MPI", list_of(build.mpis)),
      line("plug-ins", support::can_load_libraries() ? "supported" : "not supported: statically linked"),
  };
  for (const UsedLibrary& library : optional_libraries())
    lines.push_back(line(library.name, state_of(library)));
  for (const UsedLibrary& library : linked_libraries())
    lines.push_back(line(library.name, library.version.empty() ? "version unknown" : library.version));
  return joined(lines, "\n");
}

}  // namespace plimsoll::cli
