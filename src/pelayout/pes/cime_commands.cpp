#include "pelayout/pes/cime_commands.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace plimsoll::inline v0_1::pelayout {

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

/// Describes all settings that a build depends on: which components have several threads, which variables are
/// set, and values that are not counts. Clones keep variables that they do not set, so all must be set alike.
std::string build_key(const Settings& entry) {
  std::string key;
  for (const auto& [name, value] : entry) {
    key += name;
    const bool is_count =
        name.starts_with("NTASKS_") || name.starts_with("ROOTPE_") || name.starts_with("PSTRID_");
    if (name.starts_with("NTHRDS_"))
      key += value == "1" ? " single" : " threaded";
    else if (!is_count)
      key += "=" + value;
    key += '\n';
  }
  return key;
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
  const auto [build, is_first] = builds.emplace(build_key(entry), plan.folder);
  if (can_clone && !is_first) plan.build_of = build->second;
  const bool is_clone = !plan.build_of.empty();

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
