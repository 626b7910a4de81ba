#include "pelayout/pes/cime_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

// Defaults in the documentation of CIME's tool: ten days without restarts and archives, and separate timers
// for all components.
const Settings timing_defaults = {{"STOP_OPTION", "ndays"},      {"STOP_N", "10"},
                                  {"REST_OPTION", "never"},      {"DOUT_S", "FALSE"},
                                  {"COMP_RUN_BARRIERS", "TRUE"}, {"TIMER_LEVEL", "9"}};

Command create_newcase(const CasePlan& plan, const SubmissionOptions& options) {
  std::vector<std::string> words = {options.scripts + "/create_newcase"};
  const auto add = [&](const char* option, const std::optional<std::string>& value) {
    if (value) words.insert(words.end(), {option, *value});
  };
  add("--case", plan.name);
  add("--output-root", options.case_root);
  add("--compset", options.compset);
  add("--res", options.resolution);
  add("--handle-preexisting-dirs", "r");
  add("--machine", options.machine);
  add("--project", options.project);
  add("--compiler", options.compiler);
  add("--mpilib", options.mpilib);
  if (options.run_unsupported) words.emplace_back("--run-unsupported");
  // A name that is not a path creates the case in the directory where create_newcase runs.
  return {std::move(words), options.case_root};
}

Command create_clone(const CasePlan& plan, const SubmissionOptions& options) {
  std::vector<std::string> words = {
      options.scripts + "/create_clone", "--case", plan.name, "--clone", plan.build_of, "--keepexe"};
  if (options.project) words.insert(words.end(), {"--project", *options.project});
  return {std::move(words), options.case_root};
}

// Returns an xmlchange command. Values with a comma need the older syntax, because in the newer one a comma
// ends the value.
Command xmlchange(const CasePlan& plan, const Setting& setting, const std::vector<std::string>& more = {}) {
  const auto& [name, value] = setting;
  std::vector<std::string> words = {"./xmlchange"};
  if (value.find(',') != std::string::npos)
    words.insert(words.end(), {"--id", name, "--val", value});
  else
    words.push_back(name + "=" + value);
  words.insert(words.end(), more.begin(), more.end());
  return {std::move(words), plan.folder};
}

/// Describes the build of a case. It depends on the components that have several threads, and on all values
/// except numbers of tasks, first ranks and strides.
SharedBuild build_of(const CasePlan& plan, const Settings& entry) {
  SharedBuild build{.folder = plan.folder, .settings = {}, .counts = {}};
  for (const auto& [name, value] : entry) {
    if (name.starts_with("NTASKS_") || name.starts_with("ROOTPE_") || name.starts_with("PSTRID_"))
      build.counts.insert(name);
    else if (name.starts_with("NTHRDS_"))
      build.settings += name + (value == "1" ? " single\n" : " threaded\n");
    else
      build.settings += fmt::format("{}={}\n", name, value);
  }
  return build;
}

/// Returns the directory of the first case whose build a case can use; empty if no build suits it. A clone
/// keeps the counts of the original that it does not set, so it must set all of them.
std::string usable_build(const SharedBuild& build, const SharedBuilds& builds) {
  const auto usable = std::ranges::find_if(builds, [&](const SharedBuild& original) {
    return original.settings == build.settings && std::ranges::includes(build.counts, original.counts);
  });
  return usable == builds.end() ? "" : usable->folder;
}

/// Returns the settings that determine what a case measures; the last value of a variable wins.
Settings decisive_settings(const Settings& variables, const SubmissionOptions& options) {
  Settings settings = {{"compset", options.compset}, {"grid", options.resolution}};
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    if (value) settings.emplace_back(name, *value);
  };
  add("machine", options.machine);
  add("compiler", options.compiler);
  add("mpilib", options.mpilib);
  for (const Setting& variable : variables) {
    const auto known = std::ranges::find(settings, variable.first, &Setting::first);
    if (known == settings.end())
      settings.push_back(variable);
    else
      known->second = variable.second;
  }
  return settings;
}

}  // namespace

void add_cime_commands(CasePlan& plan, const Settings& entry, const SubmissionOptions& options,
                       SharedBuilds& builds) {
  Settings variables = timing_defaults;
  variables.insert(variables.end(), options.extra_options.begin(), options.extra_options.end());
  variables.insert(variables.end(), entry.begin(), entry.end());
  plan.settings = decisive_settings(variables, options);

  const bool can_clone =
      !options.separate_builds && std::filesystem::exists(options.scripts + "/create_clone");
  SharedBuild build = build_of(plan, entry);
  if (can_clone) plan.build_of = usable_build(build, builds);
  const bool is_clone = !plan.build_of.empty();
  if (!is_clone) builds.push_back(std::move(build));

  plan.commands = {is_clone ? create_clone(plan, options) : create_newcase(plan, options)};
  for (const Setting& variable : variables) plan.commands.push_back(xmlchange(plan, variable));
  // create_clone sets up the case with the counts of the original, in newer versions of CIME.
  if (is_clone)
    plan.commands.push_back({{"./case.setup", "--reset"}, plan.folder});
  else
    plan.commands.insert(plan.commands.end(),
                         {{{"./case.setup"}, plan.folder}, {{"./case.build"}, plan.folder}});
  // Batch settings come last: case.setup replaces them by defaults, and a rerun can then change them.
  const std::vector<std::string> run_job = {"--subgroup", "case.run"};
  if (options.walltime)
    plan.commands.push_back(xmlchange(plan, {"JOB_WALLCLOCK_TIME", *options.walltime}, run_job));
  if (options.queue)
    plan.commands.push_back(
        xmlchange(plan, {"JOB_QUEUE", *options.queue}, {"--subgroup", "case.run", "--force"}));
  if (options.account) plan.commands.push_back(xmlchange(plan, {"CHARGE_ACCOUNT", *options.account}));
  plan.commands.push_back({{"./case.submit"}, plan.folder});
}

}  // namespace plimsoll::pelayout
