#include "interpose/mpi_run.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include <plimsoll/support/internal/text.hpp>

#include "common/shared_data.hpp"

namespace plimsoll::testing {

using support::shell_quoted;

namespace {

std::string join_paths(const std::vector<std::string>& paths) {
  std::string joined;
  for (const std::string& path : paths)
    if (!path.empty()) joined += (joined.empty() ? "" : ":") + path;
  return joined;
}

// Returns the launcher's words for some ranks of a run.
std::string part(const MpiRun& run, int ranks, const std::map<std::string, std::string>& environment) {
  std::string words = " -n " + std::to_string(ranks);
  for (const auto& [name, value] : environment)
    words += run.mpi.name == "openmpi" ? " -x " + shell_quoted(name + "=" + value)
                                       : " -env " + name + " " + shell_quoted(value);
  words += " " + shell_quoted(run.program);
  for (const std::string& argument : run.arguments) words += " " + shell_quoted(argument);
  return words;
}

std::string command_of(const MpiRun& run) {
  std::map<std::string, std::string> environment = run.environment;
  if (!run.options.empty()) environment["PLIMSOLL_PROFILER"] = run.options;
  const std::string preload =
      join_paths({run.preload_before, run.profiled ? run.mpi.profiler : std::string(), run.preload_after});
  if (!preload.empty()) environment["LD_PRELOAD"] = preload;

  std::string command = "cd " + shell_quoted(run.working_folder) + " && env";
  for (const auto& [name, value] : launcher_environment()) command += " " + name + "=" + value;
  command += " timeout --kill-after=5 60 " + shell_quoted(run.mpi.launcher);
  const std::string profiled = part(run, run.ranks, environment);
  if (run.unprofiled_ranks == 0) return command + profiled;
  const std::string unprofiled = part(run, run.unprofiled_ranks, {});
  return command + (run.unprofiled_first ? unprofiled + " :" + profiled : profiled + " :" + unprofiled);
}

}  // namespace

const std::vector<TestedMpi>& tested_mpis() {
  static const std::vector<TestedMpi> mpis = {
#include "tested_mpis.inc"
  };
  return mpis;
}

const std::map<std::string, std::string>& launcher_environment() {
  static const TemporaryFolder sessions;  // launchers that share this directory with others may fail
  static const std::map<std::string, std::string> environment = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"OMPI_MCA_mpi_yield_when_idle", "1"},
      {"OMPI_MCA_orte_tmpdir_base", sessions.path()},
      {"OMPI_MCA_pml", "ob1"},
      {"PMIX_MCA_gds", "hash"},
      {"HWLOC_PLUGINS_PATH", "/nonexistent"},
      {"HWLOC_COMPONENTS", "-linuxio"},
  };
  return environment;
}

Outcome run(const MpiRun& run) {
  const TemporaryFolder folder;
  const std::string command = "{ " + command_of(run) + "; } >" + shell_quoted(folder / "out") + " 2>" +
                              shell_quoted(folder / "err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), file_content(folder / "out"),
          file_content(folder / "err")};
}

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

std::string name_of_mpi(const ::testing::TestParamInfo<TestedMpi>& info) {
  return info.param.name;
}

}  // namespace plimsoll::testing
