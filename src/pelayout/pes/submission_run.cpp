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

#include "pelayout/pes/case_progress.hpp"
#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

namespace fs = std::filesystem;

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
  if (const std::string& refused = command.refused_output;
      !refused.empty() && last_words.tail().find(refused) != std::string::npos)
    return {.failed = true,
            .text = fmt::format("{}: this case needs a build of its own; use --separate_builds",
                                last_words.line())};
  if (status == 0) return {};
  log.write(fmt::format("\n[status {}]\n", status));
  if (command.may_fail) return {};
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
