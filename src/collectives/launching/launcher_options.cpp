#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/launching/launch_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

bool is_program(const std::string& word) {
  const std::string path = find_program(word);
  return !path.empty() && ::access(path.c_str(), X_OK) == 0;
}

using Words = std::vector<std::string>;

/// Returns the word that names the appfile among the words that follow Open MPI's mpirun, or null: option
/// --app. Each line of an appfile contains options and a program. mpirun then ignores options in the command
/// that concern programs. A word that follows an option is its value or the program, whose options follow.
std::string* find_appfile(Words& words) {
  bool has_option = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    const bool is_option = word.starts_with("-");
    if ((word == "--app" || word == "-app") && k + 1 < words.size()) return &words[k + 1];
    if (!is_option && (!has_option || is_program(word))) return nullptr;
    has_option = has_option || is_option;
  }
  return nullptr;
}

/// Returns the text of an appfile in which `change` has changed the words of each line. Comments are omitted.
/// mpirun separates words by spaces only, and knows no quotes.
template <class Change>
std::string with_changed_lines(const std::string& text, Change&& change) {
  std::string changed;
  for (support::LineReader lines(text); !lines.at_end(); lines.advance()) {
    Words words;
    for (const std::string_view word : support::split(lines.line().substr(0, lines.line().find('#')), ' '))
      if (!word.empty()) words.emplace_back(word);
    if (words.empty()) continue;
    change(words);
    changed += fmt::format("{}\n", fmt::join(words, " "));
  }
  return changed;
}

const std::string assignment = "LD_PRELOAD=";

std::string preload(const std::string& interposer) {
  const char* others = std::getenv("LD_PRELOAD");
  return others == nullptr || *others == '\0' ? interposer : interposer + ":" + others;
}

/// Returns the words of each program of a command with its options, such as `-n 2 a` and `: -n 2 b` of
/// `mpirun -n 2 a : -n 2 b`.
std::vector<Words> parts_of(const Words& command) {
  std::vector<Words> parts(1);
  for (std::size_t k = 1; k < command.size(); ++k) {
    if (command[k] == ":") parts.emplace_back();
    parts.back().push_back(command[k]);
  }
  return parts;
}

void insert_options(Words& part, const Words& options) {
  const bool has_colon = !part.empty() && part.front() == ":";
  part.insert(part.begin() + (has_colon ? 1 : 0), options.begin(), options.end());
}

/// Puts the interposer before the libraries that an option of the launcher, such as `-x LD_PRELOAD=lib.so`,
/// preloads. Returns whether the part has such an option.
bool add_to_own_preload(Words& part, std::initializer_list<const char*> names,
                        const std::string& interposer) {
  bool found = false;
  for (std::size_t k = 0; k + 1 < part.size(); ++k) {
    if (std::ranges::find(names, part[k]) == names.end()) continue;
    std::string& variable = part[k + 1];
    if (variable.starts_with(assignment))
      variable.insert(assignment.size(), interposer + ":");
    else if (variable != "LD_PRELOAD")
      continue;
    else if (part[k] == "-x")  // the value in the environment
      variable = assignment + preload(interposer);
    else if (k + 2 < part.size())
      part[k + 2].insert(0, interposer + ":");
    found = true;
  }
  return found;
}

void add_openmpi_options(Words& part, const std::string& interposer, const ProfileLaunch& launch) {
  Words options;
  if (!add_to_own_preload(part, {"-x"}, interposer)) options = {"-x", assignment + preload(interposer)};
  for (const auto& [name, value] : launch.environment) options.insert(options.end(), {"-x", name});
  insert_options(part, options);
}

/// Adds options to each line of a copy of an appfile, and names the copy.
void add_openmpi_options_to_appfile(std::string& appfile, const std::string& interposer,
                                    ProfileLaunch& launch) {
  launch.appfile = {.path = launch.folder + "/appfile",
                    .text = with_changed_lines(support::read_text_file(appfile), [&](Words& line) {
                      add_openmpi_options(line, interposer, launch);
                    })};
  appfile = launch.appfile->path;
}

// The option -genv applies to all programs, except to those with their own -env.
void add_hydra_options(std::vector<Words>& parts, const std::string& interposer,
                       const ProfileLaunch& launch) {
  bool is_global = false;
  for (Words& part : parts) {
    if (add_to_own_preload(part, {"-genv", "--genv"}, interposer)) is_global = true;
    add_to_own_preload(part, {"-env", "--env"}, interposer);
  }
  Words options;
  if (!is_global) options = {"-genv", "LD_PRELOAD", preload(interposer)};
  for (const auto& [name, value] : launch.environment) options.insert(options.end(), {"-genv", name, value});
  insert_options(parts.front(), options);
}

/// Returns srun's option --export of a part, as one word, or null. A word that follows an option may be its
/// value or the program. Later options belong to the program.
std::string* own_export(Words& part) {
  std::size_t k = !part.empty() && part.front() == ":" ? 1 : 0;
  for (; k < part.size() && part[k].starts_with("-"); ++k) {
    const bool next_is_value = k + 1 < part.size() && !part[k + 1].starts_with("-");
    if (part[k] == "--export" && next_is_value) {
      part[k] += "=" + part[k + 1];
      part.erase(part.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    }
    if (part[k].starts_with("--export=")) return &part[k];
    const bool is_short = part[k].size() == 2;  // -n 4, but not -n4
    const bool is_long = part[k].starts_with("--") && part[k].find('=') == std::string::npos;
    if (next_is_value && (is_short || is_long)) ++k;
  }
  return nullptr;
}

void preload_by_environment(const std::string& preloaded, ProfileLaunch& launch) {
  const std::pair<std::string, std::string> variable = {"LD_PRELOAD", preloaded};
  if (std::ranges::find(launch.environment, variable) == launch.environment.end())
    launch.environment.push_back(variable);
}

/// Returns the position of the libraries that a list of variables such as --export=A=1,LD_PRELOAD=own.so
/// preloads, or npos.
std::size_t own_preload(const std::string& exported) {
  for (const char* const before : {",", "="})
    if (const auto at = exported.find(before + assignment); at != std::string::npos)
      return at + 1 + assignment.size();
  return std::string::npos;
}

/// Adds the variables of the launch to a list of variables. `NONE` and `NIL` cannot be combined with others.
void export_variables(std::string& exported, const ProfileLaunch& launch) {
  if (exported.starts_with("--export=ALL")) return;
  if (exported == "--export=NONE" || exported == "--export=NIL") exported = "--export=";
  for (const auto& [name, value] : launch.environment)
    exported += (exported.ends_with('=') ? "" : ",") + name;
}

/// The interposer is set for the ranks alone, because srun may link another MPI.
void add_slurm_options(Words& part, const std::string& interposer, ProfileLaunch& launch) {
  const std::string preloaded = preload(interposer);
  const bool has_comma = preloaded.find(',') != std::string::npos;  // srun separates variables by commas
  if (has_comma) preload_by_environment(preloaded, launch);
  if (std::string* const exported = own_export(part)) {
    const auto own = own_preload(*exported);
    export_variables(*exported, launch);
    if (has_comma) return;
    if (own == std::string::npos)
      *exported += (exported->ends_with('=') ? "" : ",") + assignment + preloaded;
    else
      exported->insert(own, interposer + ":");
  } else {
    insert_options(part, {"--export=ALL" + (has_comma ? "" : "," + assignment + preloaded)});
  }
}

/// Starts the program through env, which sets the variables for the ranks alone. Programs that are not found,
/// such as those of a script, get them from the launcher.
void add_env(Words& part, const std::string& interposer, ProfileLaunch& launch) {
  const auto program = std::ranges::find_if(part, &names_mpi_program);
  if (program == part.end()) {
    preload_by_environment(preload(interposer), launch);
    return;
  }
  Words words = {"/usr/bin/env", assignment + preload(interposer)};
  for (const auto& [name, value] : launch.environment)
    if (name != "LD_PRELOAD") words.push_back(name + "=" + value);
  part.insert(program, words.begin(), words.end());
}

}  // namespace

void add_launcher_options(Launcher launcher, const std::string& interposer, ProfileLaunch& launch) {
  std::vector<Words> parts = parts_of(launch.command);
  switch (launcher) {
    case Launcher::openmpi:
      if (std::string* const appfile = find_appfile(parts.front())) {
        add_openmpi_options_to_appfile(*appfile, interposer, launch);
        break;
      }
      for (Words& part : parts) add_openmpi_options(part, interposer, launch);
      break;
    case Launcher::hydra: add_hydra_options(parts, interposer, launch); break;
    case Launcher::slurm:
      for (Words& part : parts) add_slurm_options(part, interposer, launch);
      break;
    case Launcher::other:
      for (Words& part : parts) add_env(part, interposer, launch);
      break;
    case Launcher::none: preload_by_environment(preload(interposer), launch); break;
  }
  launch.command.resize(1);
  for (const Words& part : parts) launch.command.insert(launch.command.end(), part.begin(), part.end());
}

std::string to_shell_text(const ProfileLaunch& launch) {
  std::string text;
  if (launch.appfile) {
    text = "mkdir -p " + support::shell_quoted(launch.folder) + " && printf '%s\\n'";
    for (support::LineReader lines(launch.appfile->text); !lines.at_end(); lines.advance())
      text += ' ' + support::shell_quoted(lines.line());
    text += " > " + support::shell_quoted(launch.appfile->path) + " && ";
  }
  for (const auto& [name, value] : launch.environment)
    text += name + "=" + support::shell_quoted(value) + " ";
  for (const std::string& word : launch.command) text += support::shell_quoted(word) + " ";
  text.back() = '\n';
  return text;
}

}  // namespace plimsoll::collectives
