#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/layout/names.hpp"
#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

// Maximum number of commands for all cases. Two small files could require many, because the number of
// commands is the product of their sizes.
constexpr std::size_t max_commands = 100'000;

bool has_control_characters(std::string_view text) {
  return support::printable(text) != text;
}

/// Returns the settings of an entry, in the order in which CIME receives them.
Settings settings_of(const PesEntry& entry) {
  Settings settings;
  for (const auto& [name, count] : pes_counts)
    for (const auto& [component, pes] : entry.components)
      if (pes.*count)
        settings.emplace_back(fmt::format("{}_{}", name, component), fmt::to_string(*(pes.*count)));
  settings.insert(settings.end(), entry.variables.begin(), entry.variables.end());
  return settings;
}

Error bad_entry(const PesFile& pes, std::uint64_t line, std::string what, std::string suggestion) {
  return {ErrorKind::bad_input,
          {.what = std::move(what), .file = pes.path, .line = line, .suggestion = std::move(suggestion)}};
}

/// Returns the names by which CIME searches a PE file for a run. It knows the long names of grid and compset.
PesQuery query_of(const SubmissionOptions& options) {
  const auto or_any = [](const std::string& text) { return text.empty() ? "any" : text; };
  return {.grid = or_any(options.resolution),
          .machine = options.machine.value_or("any"),
          .compset = or_any(options.compset),
          .pesize = {}};
}

constexpr const char* how_cime_selects =
    "CIME searches for the file's expressions in the machine and in the long names of grid and component "
    "set; "
    "specify these names";

/// Returns the sizes for which a file has entries that match the run, in the order of the file. Entries with
/// pesize "any" are those that CIME uses for all sizes that no entry names.
std::vector<std::string> sizes_of(const PesFile& pes, const SubmissionOptions& options,
                                  NamePatterns& patterns) {
  std::vector<std::string> sizes;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  for (const PesEntry* entry : entries_for(pes, query_of(options), patterns)) {
    const std::string& size = entry->pesize;
    if (!options.sizes.empty() && std::ranges::find(options.sizes, size) == options.sizes.end()) continue;
    if (size.empty())
      throw bad_entry(pes, entry->line, "missing pesize in this entry",
                      "set a unique pesize per timing run: it is part of the case name");
    if (!seen.emplace(size, entry->grid, entry->machine, entry->compset).second)
      throw bad_entry(pes, entry->line, fmt::format("duplicate pesize {}", support::in_quotes(size)),
                      "use a unique pesize per timing run");
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  }
  for (const std::string& size : options.sizes)
    if (std::ranges::find(sizes, size) == sizes.end())
      throw support::bad_input(fmt::format("no entry with pesize {} for this run", support::in_quotes(size)),
                               pes.path, how_cime_selects);
  if (pes.entries.empty()) throw support::bad_input("no timing runs: missing pes element", pes.path);
  if (sizes.empty()) throw support::bad_input("no entry matches the run", pes.path, how_cime_selects);
  return sizes;
}

// Characters that are not allowed in case names. CIME rejects most of them, and its own scripts cannot handle
// spaces and quotes.
constexpr std::string_view refused_by_cime = "+*?<>{}[]~`@: '\"\\$&|;()!#%^=,";

void check_case_name(const std::string& name, bool for_cime) {
  const auto refuse = [&](const std::string& why) {
    throw support::bad_input(
        fmt::format("invalid case name {}: {}", support::in_quotes(name), why), {},
        "set another prefix of the case names or another pesize: the name consists of both");
  };
  if (name.find('/') != std::string::npos) refuse("it contains /");
  if (has_control_characters(name)) refuse("it contains control characters");
  if (name.starts_with('.') || name.starts_with('-')) refuse("it begins with a dot or a dash");
  if (name.size() > 200) refuse("it is longer than 200 characters");
  if (const std::size_t at = name.find_first_of(refused_by_cime); for_cime && at != std::string::npos)
    refuse(fmt::format("CIME does not accept '{}'", name[at]));
}

std::string case_name(const SubmissionOptions& options, const std::string& pesize) {
  if (options.casename_prefix.empty())
    throw support::bad_input("the prefix of the case names must not be empty");
  const bool has_underscore = options.casename_prefix.ends_with('_');
  std::string name = options.casename_prefix + (has_underscore ? "" : "_") + pesize;
  check_case_name(name, !options.command_template);
  return name;
}

/// Rejects a value of the entry if `why` is not empty and the file is not trusted.
void refuse_unsafe(const std::string& why, const PesFile& pes, const PesEntry& entry,
                   const SubmissionOptions& options) {
  if (!why.empty() && !options.trusts_pes_file)
    throw bad_entry(pes, entry.line, why,
                    "set another value, or trust the file (--trust_pesfile) if you know its origin");
}

/// Rejects a number of nodes in a word of a template: only CIME knows the tasks per node.
void refuse_nodes(const std::string& word, const TemplateValues& values, const PesFile& pes,
                  const PesEntry& entry) {
  for (const auto& [name, value] : values) {
    const bool is_count = name.starts_with("NTASKS_") || name.starts_with("ROOTPE_");
    if (!is_count || !value.starts_with('-') || word.find("{" + name + "}") == std::string::npos) continue;
    throw bad_entry(
        pes, entry.line,
        fmt::format("{}={} is a number of nodes, but the command template needs tasks", name, value),
        fmt::format("set {} in the entry, or use numbers of tasks", tasks_per_node_variable));
  }
}

std::vector<Command> template_commands(const CasePlan& plan, const PesFile& pes, const PesEntry& entry,
                                       const SubmissionOptions& options) {
  const bool nodes_are_known = entry.variables.contains(tasks_per_node_variable);
  const Settings settings = settings_of(nodes_are_known ? in_tasks(entry, pes.path) : entry);
  TemplateValues values(settings.begin(), settings.end());
  values["case"] = plan.name;
  values["folder"] = plan.folder;
  values["pesize"] = plan.pesize;
  const std::vector<std::string> words = split_words(*options.command_template);
  for (const std::string& word : words) {
    refuse_unsafe(why_unsafe_as_argument(word, values), pes, entry, options);
    refuse_nodes(word, values, pes, entry);
  }
  return {
      {fill_in(words, values, fmt::format("the entry with pesize {}", support::in_quotes(plan.pesize))), ""}};
}

// Rejects arguments with control characters, which could forge lines in the log or the state file, or
// truncate the argument.
void check_arguments(const CasePlan& plan) {
  for (const Command& command : plan.commands)
    for (const std::string& argument : command.arguments)
      if (has_control_characters(argument))
        throw support::bad_input(fmt::format("a setting of case {} contains control characters", plan.name));
}

PesEntry entry_for(const PesFile& pes, const std::string& pesize, const SubmissionOptions& options,
                   NamePatterns& patterns) {
  PesQuery query = query_of(options);
  if (pesize != "any") query.pesize = pesize;
  return select_pes(pes, query, patterns);
}

/// Returns whether a text is a wall time of a batch system: 00:30:00, 30:00 or 1-12:00:00, or minutes. The
/// first number has no maximum: 90:00 means 90 minutes or hours, depending on the system.
bool is_walltime(std::string_view text) {
  const auto are_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto are_below = [&](std::string_view part, const char* maximum) {
    return are_digits(part) && part.size() <= 2 && (part.size() == 1 || part < maximum);
  };
  const char* maximum = nullptr;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    if (!are_digits(text.substr(0, dash))) return false;
    text.remove_prefix(dash + 1);
    maximum = "24";
  }
  for (int colons = 0;; ++colons, maximum = "60") {
    const std::size_t end = text.find(':');
    const std::string_view part = text.substr(0, end);
    if (maximum == nullptr ? !are_digits(part) : !are_below(part, maximum)) return false;
    if (end == std::string_view::npos) return colons <= 2;
    text.remove_prefix(end + 1);
  }
}

/// Checks settings that CIME hands to other programs: a leading dash would make them options.
void check_values(const SubmissionOptions& options) {
  if (options.walltime && !is_walltime(*options.walltime))
    throw support::usage_error(
        fmt::format("invalid wall time {}: expected hours, minutes below 60 and seconds below 60",
                    support::in_quotes(*options.walltime)),
        "use, for example, 00:30:00");
  for (const auto& [name, value] : {std::pair{"queue", options.queue},
                                    {"account", options.account},
                                    {"project", options.project},
                                    {"machine", options.machine},
                                    {"compiler", options.compiler},
                                    {"MPI library", options.mpilib},
                                    {"component set", std::optional(options.compset)},
                                    {"grid", std::optional(options.resolution)}})
    if (value && value->starts_with('-'))
      throw support::usage_error(
          fmt::format("invalid {} {}: must not begin with a dash", name, support::in_quotes(*value)));
}

void check_settings(const SubmissionOptions& options) {
  check_values(options);
  const auto problem = settings_problem(options);
  if (!problem) return;
  const char* const hint = "set it for CIME, or use a command template for another model";
  switch (*problem) {
    case SettingsProblem::missing_compset: throw support::usage_error("missing component set", hint);
    case SettingsProblem::missing_resolution: throw support::usage_error("missing grid", hint);
    case SettingsProblem::extra_options_with_template:
      throw support::usage_error(
          "extra options cannot be combined with a command template, which does not use CIME",
          "set the options in the template");
    case SettingsProblem::batch_options_with_template:
      throw support::usage_error(
          "settings of batch jobs cannot be combined with a command template, which does not use CIME",
          "set them in the template");
  }
}

CasePlan plan_case(const PesFile& pes, const PesEntry& entry, const std::string& pesize,
                   const SubmissionOptions& options, SharedBuilds& builds) {
  CasePlan plan{.name = case_name(options, pesize), .folder = {}, .pesize = pesize, .commands = {}};
  plan.folder = options.case_root + "/" + plan.name;
  plan.makes_folder = !options.command_template;
  if (options.command_template) {
    plan.commands = template_commands(plan, pes, entry, options);
  } else {
    for (const auto& [name, value] : entry.variables)
      refuse_unsafe(why_unsafe_for_cime(name, value), pes, entry, options);
    add_cime_commands(plan, settings_of(entry), options, builds);
  }
  check_arguments(plan);
  return plan;
}

}  // namespace

std::string to_shell(const Command& command) {
  std::vector<std::string> words;
  for (const std::string& argument : command.arguments) words.push_back(support::shell_quoted(argument));
  std::string line = fmt::format("{}", fmt::join(words, " "));
  if (!command.refused_output.empty())
    line = fmt::format("! {} | grep -q {}", line, support::shell_quoted(command.refused_output));
  else if (command.may_fail)
    line += " || true";
  return command.folder.empty() ? line
                                : fmt::format("cd {} && {}", support::shell_quoted(command.folder), line);
}

std::vector<std::pair<std::string, std::string>> parse_extra_options(std::string_view text,
                                                                     const std::string& file) {
  Settings settings;
  for (support::LineReader lines(text); !lines.at_end(); lines.advance()) {
    const std::string_view line = support::trimmed(lines.line());
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    const std::string_view name = support::trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || !is_variable_name(name) || has_control_characters(line))
      throw Error(ErrorKind::bad_input, {.what = "invalid line: expected VARIABLE=VALUE",
                                         .file = file,
                                         .line = lines.number(),
                                         .suggestion = "use one setting per line, and # before comments"});
    settings.emplace_back(name, support::trimmed(line.substr(equals + 1)));
  }
  return settings;
}

std::optional<SettingsProblem> settings_problem(const SubmissionOptions& options, bool has_extra_options) {
  if (options.command_template) {
    if (has_extra_options || !options.extra_options.empty())
      return SettingsProblem::extra_options_with_template;
    if (options.walltime || options.queue || options.account)
      return SettingsProblem::batch_options_with_template;
    return std::nullopt;
  }
  if (options.compset.empty()) return SettingsProblem::missing_compset;
  if (options.resolution.empty()) return SettingsProblem::missing_resolution;
  return std::nullopt;
}

std::string unmatched_entries(const PesFile& pes, const SubmissionOptions& options) {
  NamePatterns patterns;
  const std::size_t matching = entries_for(pes, query_of(options), patterns).size();
  if (matching == pes.entries.size()) return "";
  return fmt::format("{} of the {} entries of {} match the run; {}", matching, pes.entries.size(), pes.path,
                     how_cime_selects);
}

std::vector<CasePlan> plan_submission(const PesFile& pes, const SubmissionOptions& options) {
  check_settings(options);
  std::vector<CasePlan> plans;
  NamePatterns patterns;
  SharedBuilds builds;
  std::size_t commands = 0;
  for (const std::string& pesize : sizes_of(pes, options, patterns)) {
    const PesEntry entry = entry_for(pes, pesize, options, patterns);
    // For a size whose entries fit less well than one for any size, CIME uses the latter.
    if (options.sizes.empty() && entry.pesize != pesize) continue;
    plans.push_back(plan_case(pes, entry, pesize, options, builds));
    commands += plans.back().commands.size();
    if (commands > max_commands)
      throw support::bad_input(
          fmt::format("more than {} commands for all cases", support::format_count(max_commands)), pes.path,
          "use fewer pes elements or settings");
  }
  return plans;
}

}  // namespace plimsoll::pelayout
