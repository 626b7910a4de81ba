#include "pelayout/pes/case_progress.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include <plimsoll/pelayout/submission_run.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/text_file.hpp>

namespace plimsoll::inline v0_1::pelayout {

namespace {

namespace fs = std::filesystem;

/// Returns the content of the state file after this many commands.
std::string state_text(const CasePlan& plan, std::size_t commands_done) {
  std::string text = fmt::format("# plimsoll layout submit: done for case {}\n", plan.name);
  for (std::size_t i = 0; i < commands_done; ++i) text += to_shell(plan.commands[i]) + "\n";
  return text;
}

bool is_there(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::symlink_status(path, code);
  if (status.type() == fs::file_type::none) throw support::system_error("cannot inspect", path, code.value());
  return status.type() != fs::file_type::not_found;
}

/// Returns the number of commands done according to a state file. Empty if it lists other commands.
std::optional<std::size_t> commands_done(const CasePlan& plan) {
  const std::string text = support::read_text_file(state_path(plan));
  for (std::size_t count = 0; count <= plan.commands.size(); ++count)
    if (text == state_text(plan, count)) return count;
  return std::nullopt;
}

// Returns whether a file name denotes a timing profile of the case: cesm_timing.<case>.<log id>,
// cesm_timing_0001.<case>.<log id>, timing.<case>.<log id>.gz, ...
bool is_timing_of(const CasePlan& plan, const std::string& name) {
  const std::size_t word = name.find("timing");
  return word != std::string::npos && name.find("." + plan.name + ".", word) != std::string::npos;
}

bool has_timing(const CasePlan& plan) {
  std::error_code code;
  for (fs::directory_iterator entry(plan.folder + "/timing", code), end; !code && entry != end;
       entry.increment(code))
    if (is_timing_of(plan, entry->path().filename().string())) return true;
  return false;
}

CaseProgress blocked(std::string remark) {
  return {.state = CaseState::blocked, .remark = std::move(remark)};
}

CaseProgress inspect_measured(const CasePlan& plan) {
  const bool same = !is_there(state_path(plan)) || commands_done(plan) == plan.commands.size();
  return {.state = CaseState::measured,
          .commands_done = plan.commands.size(),
          .remark = same ? "" : "the case was created with other commands"};
}

}  // namespace

void save_state(const CasePlan& plan, std::size_t commands_done) {
  support::write_text_file(state_path(plan), state_text(plan, commands_done), true);
}

const char* to_string(CaseState state) {
  switch (state) {
    case CaseState::fresh: return "fresh";
    case CaseState::unfinished: return "unfinished";
    case CaseState::submitted: return "submitted";
    case CaseState::measured: return "measured";
    case CaseState::blocked: return "blocked";
  }
  return "";
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
  const std::optional<std::size_t> done = commands_done(plan);
  if (!done) return blocked("the case was started with other commands");
  if (*done == plan.commands.size()) return {.state = CaseState::submitted, .commands_done = *done};
  if (*done == 0 && plan.makes_folder)
    return blocked(plan.commands.front().arguments.front() + " was interrupted and left the case incomplete");
  return {.state = CaseState::unfinished, .commands_done = *done};
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
