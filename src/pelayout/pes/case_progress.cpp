#include "pelayout/pes/case_progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

namespace fs = std::filesystem;

std::string title(const CasePlan& plan) {
  return fmt::format("# plimsoll layout submit: done for case {}", plan.name);
}

constexpr std::string_view setting_mark = "# set ";

bool is_there(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::symlink_status(path, code);
  if (status.type() == fs::file_type::none) throw support::system_error("cannot inspect", path, code.value());
  return status.type() != fs::file_type::not_found;
}

struct SavedState {
  std::map<std::string, std::string> settings;
  std::vector<std::string> commands;  ///< as shell lines
};

/// Reads a state file. Empty if it is damaged.
std::optional<SavedState> read_state(const CasePlan& plan) {
  const std::string text = support::read_text_file(state_path(plan));
  support::LineReader lines(text);
  if (lines.line() != title(plan)) return std::nullopt;
  SavedState state;
  for (lines.advance(); !lines.at_end(); lines.advance()) {
    const std::string_view line = lines.line();
    if (lines.is_cut()) return std::nullopt;
    if (!line.starts_with('#')) {
      state.commands.emplace_back(line);
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!line.starts_with(setting_mark) || equals == std::string_view::npos) return std::nullopt;
    state.settings.emplace(line.substr(setting_mark.size(), equals - setting_mark.size()),
                           line.substr(equals + 1));
  }
  return state;
}

std::string joined(std::vector<std::string> differences) {
  constexpr std::size_t few = 8;
  const std::size_t more = differences.size() - std::min(differences.size(), few);
  differences.resize(differences.size() - more);
  return fmt::format("{}{}", fmt::join(differences, "; "),
                     more > 0 ? fmt::format("; and {} more", more) : "");
}

/// Returns the settings that differ: "STOP_N was 7, is 10". Empty if none does.
std::string differing_settings(const CasePlan& plan, const SavedState& state) {
  std::vector<std::string> differences;
  std::map<std::string, std::string> before = state.settings;
  for (const auto& [name, value] : plan.settings) {
    const auto saved = before.extract(name);
    if (saved.empty())
      differences.push_back(fmt::format("{} was not set, is {}", name, value));
    else if (saved.mapped() != value)
      differences.push_back(fmt::format("{} was {}, is {}", name, saved.mapped(), value));
  }
  for (const auto& [name, value] : before)
    differences.push_back(fmt::format("{} was {}, is not set", name, value));
  return joined(std::move(differences));
}

/// Returns the first command that differs. Empty if the saved commands are the first ones of the plan.
std::string differing_command(const CasePlan& plan, const SavedState& state) {
  for (std::size_t i = 0; i < state.commands.size(); ++i) {
    const std::string planned = i < plan.commands.size() ? to_shell(plan.commands[i]) : "nothing";
    if (state.commands[i] != planned)
      return fmt::format("command {} was {}, is {}", i + 1, support::in_quotes(state.commands[i]),
                         support::in_quotes(planned));
  }
  return "";
}

/// Returns the differences that matter. Commands may differ in the directory of CIME, in batch settings, and
/// in whose build the case uses, if they lead to the same settings. Older versions did not save settings.
std::string differences(const CasePlan& plan, const SavedState& state) {
  const std::string command = differing_command(plan, state);
  const bool knows_settings = !state.settings.empty() && !plan.settings.empty();
  return command.empty() || !knows_settings ? command : differing_settings(plan, state);
}

/// Returns the number of planned commands that are done, if no difference matters. Of differing commands, the
/// last saved one that is planned tells how far the case is.
std::size_t commands_done(const CasePlan& plan, const SavedState& state) {
  if (differing_command(plan, state).empty()) return state.commands.size();
  for (std::size_t count = state.commands.size(); count > 0; --count) {
    const auto planned = std::ranges::find(plan.commands, state.commands[count - 1], to_shell);
    if (planned != plan.commands.end()) return static_cast<std::size_t>(planned - plan.commands.begin()) + 1;
  }
  return 1;  // the case exists
}

// Returns whether a file name denotes a timing profile of the case: cesm_timing.<case>.<log id>,
// cesm_timing_0001.<case>.<log id>, timing.<case>.<log id>.gz, ...
bool is_timing_of(const CasePlan& plan, const std::string& name) {
  const std::size_t word = name.find("timing");
  return word != std::string::npos && name.find("." + plan.name + ".", word) != std::string::npos;
}

bool has_timing(const CasePlan& plan) {
  bool is_found = false;
  support::for_each_readable_entry(plan.folder + "/timing", [&](const support::FolderEntry& entry) {
    is_found = is_found || is_timing_of(plan, entry.path().filename().string());
  });
  return is_found;
}

CaseProgress blocked(std::string remark) {
  return {.state = CaseState::blocked, .remark = std::move(remark)};
}

CaseProgress inspect_measured(const CasePlan& plan) {
  CaseProgress progress{.state = CaseState::measured, .commands_done = plan.commands.size()};
  if (!is_there(state_path(plan))) return progress;
  const auto state = read_state(plan);
  const std::string differing = state ? differences(plan, *state) : "its state file is damaged";
  if (!differing.empty()) progress.remark = "the case was created with other commands: " + differing;
  return progress;
}

}  // namespace

void save_state(const CasePlan& plan, std::size_t commands_done) {
  std::string text = title(plan) + "\n";
  for (const auto& [name, value] : plan.settings) text += fmt::format("{}{}={}\n", setting_mark, name, value);
  for (std::size_t i = 0; i < commands_done; ++i) text += to_shell(plan.commands[i]) + "\n";
  support::write_text_file(state_path(plan), text, true);
}

const char* to_string(CaseState state) {
  constexpr support::Named<CaseState> states[] = {{"fresh", CaseState::fresh},
                                                  {"unfinished", CaseState::unfinished},
                                                  {"submitted", CaseState::submitted},
                                                  {"measured", CaseState::measured},
                                                  {"blocked", CaseState::blocked}};
  return support::name_of(states, state);
}

std::string state_path(const CasePlan& plan) {
  return plan.folder + ".state";
}

std::string log_path(const CasePlan& plan) {
  return plan.folder + ".log";
}

CaseProgress inspect_case(const CasePlan& plan) {
  if (!is_there(plan.folder)) return {};
  if (has_timing(plan)) return inspect_measured(plan);
  if (!is_there(state_path(plan)))
    return blocked(plan.folder + " exists, but was not created by plimsoll layout submit");
  const auto state = read_state(plan);
  if (!state) return blocked("the state file of the case is damaged");
  const std::string differing = differences(plan, *state);
  if (!differing.empty()) return blocked("the case was started with other commands: " + differing);
  const std::size_t done = commands_done(plan, *state);
  if (done == plan.commands.size()) return {.state = CaseState::submitted, .commands_done = done};
  if (done == 0 && plan.makes_folder)
    return blocked(plan.commands.front().arguments.front() + " was interrupted and left the case incomplete");
  return {.state = CaseState::unfinished, .commands_done = done};
}

CasePreview preview_case(const CasePlan& plan, bool force_purge) {
  const CaseProgress found = inspect_case(plan);
  if (force_purge && found.state != CaseState::fresh) return {&plan, {}, true};
  return {&plan, found};
}

std::size_t CasePreview::first_command() const {
  return progress.state == CaseState::blocked ? plan->commands.size() : progress.commands_done;
}

}  // namespace plimsoll::pelayout
