#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/layout/names.hpp"
#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace fs = std::filesystem;

std::string absolute_folder(const std::string& folder) {
  return (fs::absolute(folder).lexically_normal() / "").parent_path().string();
}

std::string cime_scripts_folder(const std::string& root, bool must_exist) {
  std::string cime = root;
  for (const char* variable : {"CIMEROOT", "CIME_DIR"})
    if (const char* value = std::getenv(variable); cime.empty() && value != nullptr) cime = value;
  if (cime.empty())
    throw support::usage_error("the directory of CIME is not set",
                               "set CIMEROOT to the directory that contains scripts/create_newcase");
  std::string folder = absolute_folder(cime) + "/scripts";
  if (must_exist && !fs::exists(folder + "/create_newcase"))
    throw support::usage_error("CIME's create_newcase is not in " + folder,
                               "use the directory of CIME itself, which contains scripts");
  return folder;
}

namespace {

std::string filled_in(const std::string& word, const TemplateValues& values, const std::string& owner) {
  std::string text;
  for (std::size_t next = 0;;) {
    const std::size_t open = word.find('{', next);
    text += word.substr(next, open - next);
    if (open == std::string::npos) return text;
    const std::size_t close = word.find('}', open);
    if (close == std::string::npos)
      throw support::usage_error(
          fmt::format("missing }} in {} of the command template", support::in_quotes(word)));
    const std::string name = word.substr(open + 1, close - open - 1);
    const auto value = values.find(name);
    if (value == values.end())
      throw support::bad_input(
          fmt::format("unknown {{{}}} in the command template: {} does not set it", name, owner), {},
          "use {case}, {folder}, {pesize}, and variables of the PE file such as {NTASKS_ATM}");
    text += value->second;
    next = close + 1;
  }
}

/// Returns whether a value contains $NAME{.
bool has_call(std::string_view value) {
  for (std::size_t at = value.find('$'); at != std::string_view::npos; at = value.find('$', at + 1)) {
    const std::string_view rest = value.substr(at + 1);
    const auto end = std::ranges::find_if_not(rest, is_word);
    if (end != rest.begin() && end != rest.end() && *end == '{') return true;
  }
  return false;
}

bool may_be_option(std::string_view value) {
  return value.starts_with('-') && !support::parse_number<std::int64_t>(value);
}

/// Variable of the driver of MCT; that of CMEPS does not have it.
constexpr const char* run_barriers = "COMP_RUN_BARRIERS";

// Defaults in the documentation of CIME's tool: ten days without restarts and archives, and separate timers
// for all components.
const Settings timing_defaults = {{"STOP_OPTION", "ndays"}, {"STOP_N", "10"},       {"REST_OPTION", "never"},
                                  {"DOUT_S", "FALSE"},      {run_barriers, "TRUE"}, {"TIMER_LEVEL", "9"}};

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

/// Stops a clone with components whose executable suits only the counts of the original. Versions of CIME
/// without such variables find nothing.
Command query_rebuilds(const CasePlan& plan) {
  return {{"./xmlquery", "--partial-match", "PE_CHANGE_REQUIRES_REBUILD"}, plan.folder, true, "TRUE"};
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
  for (const auto& [name, value] : entry)
    if (name.starts_with("NTASKS_") || name.starts_with("ROOTPE_") || name.starts_with("PSTRID_") ||
        name.starts_with("EXCL_STRIDE_"))
      build.counts.insert(name);
    else if (name.starts_with("NTHRDS_"))
      build.settings += name + (value == "1" ? " single\n" : " threaded\n");
    else
      build.settings += fmt::format("{}={}\n", name, value);
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

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  const auto invalid = [&](const char* what) {
    return support::usage_error(
        fmt::format("invalid command template {}: {}", support::in_quotes(line), what));
  };
  bool in_word = false;
  char quote = 0;  // quotation mark that is open, or 0
  for (std::size_t next = 0; next < line.size(); ++next) {
    const char letter = line[next];
    const bool is_mark = quote != 0 ? letter == quote : letter == '\'' || letter == '"';
    const bool is_blank = letter == ' ' || letter == '\t' || letter == '\n';
    if (!in_word && !is_blank) words.emplace_back();
    in_word = quote != 0 || !is_blank;
    if (is_mark)
      quote = quote != 0 ? '\0' : letter;
    else if (letter == '\\' && quote != '\'' && ++next == line.size())
      throw invalid("the line ends after \\");
    else if (in_word)
      words.back() += line[next];
  }
  if (quote != 0) throw invalid("missing closing quotation mark");
  if (words.empty()) throw support::usage_error("the command template is empty");
  return words;
}

std::vector<std::string> fill_in(const std::vector<std::string>& words, const TemplateValues& values,
                                 const std::string& owner) {
  std::vector<std::string> arguments;
  for (const std::string& word : words) arguments.push_back(filled_in(word, values, owner));
  return arguments;
}

std::string why_unsafe_for_cime(std::string_view name, std::string_view value) {
  if (has_call(value))
    return fmt::format("unsafe value {} of {}: CIME would run a command or read its environment",
                       support::in_quotes(value, 60), support::printable(name));
  if (may_be_option(value))
    return fmt::format("unsafe value {} of {}: begins with a dash", support::in_quotes(value, 60),
                       support::printable(name));
  return {};
}

std::string why_unsafe_as_argument(const std::string& word, const TemplateValues& values) {
  if (!word.starts_with('{')) return {};
  const std::string name = word.substr(1, word.find('}') - 1);
  const auto found = values.find(name);
  if (found == values.end() || !may_be_option(found->second)) return {};
  return fmt::format("unsafe value {} of {}: begins with a dash, so a program may interpret it as an option",
                     support::in_quotes(found->second, 60), support::printable(name));
}

void add_cime_commands(CasePlan& plan, const Settings& entry, const SubmissionOptions& options,
                       SharedBuilds& builds) {
  Settings variables = timing_defaults;
  variables.insert(variables.end(), options.extra_options.begin(), options.extra_options.end());
  variables.insert(variables.end(), entry.begin(), entry.end());
  plan.settings = decisive_settings(variables, options);

  const bool can_clone = !options.separate_builds && fs::exists(options.scripts + "/create_clone");
  SharedBuild build = build_of(plan, entry);
  if (can_clone) plan.build_of = usable_build(build, builds);
  const bool is_clone = !plan.build_of.empty();
  if (!is_clone) builds.push_back(std::move(build));

  plan.commands = {is_clone ? create_clone(plan, options) : create_newcase(plan, options)};
  if (is_clone) plan.commands.push_back(query_rebuilds(plan));
  for (std::size_t k = 0; k < variables.size(); ++k) {
    plan.commands.push_back(xmlchange(plan, variables[k]));
    plan.commands.back().may_fail = k < timing_defaults.size() && variables[k].first == run_barriers;
  }
  // create_clone sets up the case with the counts of the original, in newer versions of CIME. With --reset,
  // case.setup also requests another build, which a clone does not need: its counts do not affect the build.
  if (is_clone)
    plan.commands.insert(plan.commands.end(), {{{"./case.setup", "--reset"}, plan.folder},
                                               xmlchange(plan, {"BUILD_COMPLETE", "TRUE"})});
  else
    plan.commands.insert(plan.commands.end(),
                         {{{"./case.setup"}, plan.folder}, {{"./case.build"}, plan.folder}});
  // Batch settings come last: case.setup replaces them by defaults, and a rerun can then change them.
  const auto change = [&](const char* name, const std::optional<std::string>& value,
                          const std::vector<std::string>& more) {
    if (value) plan.commands.push_back(xmlchange(plan, {name, *value}, more));
  };
  change("JOB_WALLCLOCK_TIME", options.walltime, {"--subgroup", "case.run"});
  change("JOB_QUEUE", options.queue, {"--subgroup", "case.run", "--force"});
  change("CHARGE_ACCOUNT", options.account, {});
  plan.commands.push_back({{"./case.submit"}, plan.folder});
}

}  // namespace plimsoll::pelayout
