#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

namespace fs = std::filesystem;

std::string title(const CasePlan& plan) {
  return fmt::format("# plimsoll layout submit: done for case {}", plan.name);
}

constexpr std::string_view setting_mark = "# set ";

/// Writes the number of commands done to the state file of a case. Throws Error (system).
void save_state(const CasePlan& plan, std::size_t commands_done) {
  std::string text = title(plan) + "\n";
  for (const auto& [name, value] : plan.settings) text += fmt::format("{}{}={}\n", setting_mark, name, value);
  for (std::size_t i = 0; i < commands_done; ++i) text += to_shell(plan.commands[i]) + "\n";
  support::write_text_file(state_path(plan), text, true);
}

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

void remove_tree(const std::string& path) {
  const int error = support::remove_tree(path);
  if (error != 0) throw support::system_error("cannot remove", path, error);
}

Error made_by_another(const std::string& path, const std::string& who) {
  return support::bad_input("another submission is creating this case" + who, path,
                            "wait until its commands end");
}

/// Locks a case. The lock names its owner to other submissions, also on other hosts.
support::FolderLock lock_case(const CasePlan& plan) {
  const std::string root = fs::path(plan.folder).parent_path().string();
  try {
    return support::FolderLock(root.empty() ? "." : root, {.name = plan.name});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    throw made_by_another(plan.folder, ": " + error.diagnostic().what);
  }
}

/// Log file of a case. The commands inherit its lock, so no other process can run the case while they run,
/// even if this process is killed.
class CaseLog {
 public:
  explicit CaseLog(const CasePlan& plan)
      : path_(log_path(plan)),
        file_(support::open_file(path_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0666)) {
    if (!file_.is_open()) throw support::system_error("cannot open", path_, errno);
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0 || !S_ISREG(status.st_mode))
      throw support::bad_input("not a regular file", path_, "remove it");
    if (support::uninterrupted([&] { return ::flock(file_.number(), LOCK_EX | LOCK_NB); }) == 0) return;
    if (errno == EWOULDBLOCK) throw made_by_another(path_, "");
    is_locked_ = false;
  }

  /// Removes all files of the case: its directory, its state and the content of this log.
  void purge(const CasePlan& plan) const {
    if (!is_locked_)
      throw support::bad_input("cannot lock: another submission may be creating this case", path_,
                               "check that no other submission is running, and remove the case manually");
    remove_tree(plan.folder);
    remove_tree(state_path(plan));
    if (::ftruncate(file_.number(), 0) != 0) throw support::system_error("cannot truncate", path_, errno);
  }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written =
          support::uninterrupted([&] { return ::write(file_.number(), text.data(), text.size()); });
      if (written < 0)
        throw support::system_error("writing failed", path_, errno, "check the free disk space");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  std::string path_;
  support::Descriptor file_;
  bool is_locked_ = true;  // false if the file system does not support locks
};

/// End of a command's output, which usually contains the reason for a failure.
class LastWords {
 public:
  void add(std::string_view part) {
    tail_ += part.substr(part.size() - std::min(part.size(), kept));
    if (tail_.size() > 2 * kept) tail_.erase(0, tail_.size() - kept);
  }
  /// Returns the last line that is not empty, or its end if it is long.
  std::string line() const {
    constexpr std::size_t max_bytes = 300;
    const std::size_t end = tail_.find_last_not_of(" \t\r\n");
    if (end == std::string::npos) return {};
    std::string text = tail_.substr(0, end + 1);
    text.erase(0, text.find_last_of('\n') + 1);
    if (text.size() > max_bytes) text.erase(0, text.size() - max_bytes);
    return support::printable(text);
  }
  const std::string& tail() const { return tail_; }

 private:
  static constexpr std::size_t kept = 64 << 10;
  std::string tail_;
};

struct CommandResult {
  bool failed = false;
  std::string text;  ///< reason of the failure, or a remark
};

constexpr std::string_view success_words = "case.run success";

/// Returns the message of a line of CIME without its time: "2026-01-31 12:00:00: case.run success".
std::string_view message_of(std::string_view line) {
  const std::size_t message = line.find_first_not_of("0123456789-: ");
  return message == std::string_view::npos ? std::string_view() : support::trimmed(line.substr(message));
}

/// Returns whether the last message about a case's run reports success. A job's number may follow.
bool reports_success(std::string_view text) {
  bool success = false;
  for (support::LineReader lines(text); !lines.at_end(); lines.advance()) {
    const std::string_view message = message_of(lines.line());
    if (message.starts_with("case.run "))
      success = message.substr(0, message.find(' ', success_words.size())) == success_words;
  }
  return success;
}

/// Returns whether a case's CaseStatus, where CIME records its steps, reports that the run succeeded.
bool records_success(const std::string& folder) {
  const std::string path = folder + "/CaseStatus";
  std::error_code code;
  return fs::is_regular_file(path, code) && reports_success(support::read_text_file(path));
}

/// Returns whether case.submit ran the case successfully, although it ended with status 1.
bool ran_case(const Command& command, int status, const LastWords& last_words) {
  return status == 1 && command.arguments == std::vector<std::string>{"./case.submit"} &&
         (reports_success(last_words.tail()) || records_success(command.folder));
}

CommandResult run_command(const Command& command, const CaseLog& log, const SubmissionRun& run) {
  log.write("$ " + to_shell(command) + "\n");
  LastWords last_words;
  support::ChildOptions options{.folder = command.folder, .merge_errors = true};
  options.on_output = [&](std::string_view part) {
    log.write(part);
    last_words.add(part);
    if (run.on_output) run.on_output(part);
  };
  const int status = support::run_child(command.arguments, options).status;
  if (status == 0) return {};
  log.write(fmt::format("\n[status {}]\n", status));
  const std::string ending = fmt::format("{} ended with status {}", command.arguments.front(), status);
  if (ran_case(command, status, last_words))
    return {.text = fmt::format("{} after \"{}\"", ending, success_words)};
  const std::string line = last_words.line();
  return {.failed = true, .text = ending + (line.empty() ? "" : ": " + line)};
}

/// Returns the report of a case that needs no command or cannot run any; nothing for other cases.
std::optional<CaseReport> settled(const CasePlan& plan, const CaseProgress& progress) {
  CaseReport report{.name = plan.name, .result = CaseResult::skipped, .log = log_path(plan)};
  switch (progress.state) {
    case CaseState::blocked:
      report.result = CaseResult::failed;
      report.text = progress.remark;
      report.blocked = true;
      return report;
    case CaseState::submitted: report.text = "already submitted; no timing file yet"; return report;
    case CaseState::measured:
      report.text = "already has a timing file" + (progress.remark.empty() ? "" : "; " + progress.remark);
      return report;
    default: return std::nullopt;
  }
}

bool is_built(const CasePlan& plan) {
  const CaseProgress progress = inspect_case(plan);
  const auto build =
      std::ranges::find(plan.commands, std::vector<std::string>{"./case.build"}, &Command::arguments);
  return std::cmp_greater(progress.commands_done, build - plan.commands.begin());
}

/// Throws Error if a case would use the build of a case that is not built.
void expect_build(const CasePlan& plan, const std::vector<CasePlan>& plans) {
  const auto original = std::ranges::find(plans, plan.build_of, &CasePlan::folder);
  if (plan.build_of.empty() || original == plans.end() || is_built(*original)) return;
  throw support::bad_input(fmt::format("it uses the build of case {}, which is not built", original->name),
                           {}, "check that case, and run the command again, or build each case separately");
}

CaseReport make_case(const CasePlan& plan, const std::vector<CasePlan>& plans, const SubmissionRun& run) {
  if (!run.force_purge)
    if (const auto report = settled(plan, inspect_case(plan))) return *report;
  expect_build(plan, plans);
  const support::FolderLock lock = lock_case(plan);
  const CaseLog log(plan);
  if (run.force_purge) log.purge(plan);
  const CaseProgress progress =
      inspect_case(plan);  // inspected again, because another process may have changed it
  if (const auto report = settled(plan, progress)) return *report;

  CaseReport report{.name = plan.name, .log = log_path(plan)};
  std::vector<std::string> remarks;
  if (progress.commands_done > 0)
    remarks.push_back(
        fmt::format("resumed after {} of {} commands", progress.commands_done, plan.commands.size()));
  save_state(plan, progress.commands_done);
  if (!plan.makes_folder) support::make_folder(plan.folder);
  for (std::size_t i = progress.commands_done; i < plan.commands.size(); ++i) {
    if (run.on_command) run.on_command(plan, plan.commands[i]);
    const CommandResult result = run_command(plan.commands[i], log, run);
    if (result.failed) {
      report.text = result.text;
      return report;
    }
    if (!result.text.empty()) remarks.push_back(result.text);
    save_state(plan, i + 1);
  }
  report.result = CaseResult::submitted;
  report.text = fmt::format("{}", fmt::join(remarks, "; "));
  return report;
}

CaseReport make_case_or_say_why(const CasePlan& plan, const std::vector<CasePlan>& plans,
                                const SubmissionRun& run) {
  try {
    return make_case(plan, plans, run);
  } catch (const Error& error) {
    return {.name = plan.name, .text = error.what(), .log = log_path(plan)};
  }
}

}  // namespace

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

const char* to_string(CaseResult result) {
  constexpr support::Named<CaseResult> results[] = {
      {"submitted", CaseResult::submitted}, {"skipped", CaseResult::skipped}, {"failed", CaseResult::failed}};
  return support::name_of(results, result);
}

std::vector<CaseReport> run_submission(const std::vector<CasePlan>& plans, const SubmissionRun& run) {
  for (const CasePlan& plan : plans) support::make_folder(fs::path(plan.folder).parent_path().string());
  std::vector<CaseReport> reports;
  for (const CasePlan& plan : plans) {
    reports.push_back(make_case_or_say_why(plan, plans, run));
    if (run.on_case) run.on_case(reports.back());
  }
  return reports;
}

CaseTally tally(std::span<const CaseReport> reports) {
  CaseTally counts;
  for (const CaseReport& report : reports) {
    if (report.result == CaseResult::submitted) ++counts.submitted;
    if (report.result == CaseResult::skipped) ++counts.skipped;
    if (report.result == CaseResult::failed) ++counts.failed;
    if (report.blocked) ++counts.blocked;
  }
  return counts;
}

}  // namespace plimsoll::pelayout
