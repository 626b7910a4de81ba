#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/submission.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// State of a case, which determines the remaining work.
enum class CaseState {
  fresh,       ///< not started: a run executes all commands
  unfinished,  ///< started and stopped: a run continues with the first command that is not done
  submitted,   ///< all commands are done: nothing to do
  measured,    ///< its directory contains a timing file: nothing to do
  blocked,     ///< its directory cannot be used; it is removed only on request
};

/// Returns the name of a state: "fresh", "unfinished", ...
const char* to_string(CaseState state);

/// Progress of a case.
struct CaseProgress {
  CaseState state = CaseState::fresh;
  std::size_t commands_done = 0;  ///< number of commands executed so far
  std::string remark;             ///< reason why it is blocked, or other information
};

/// Returns the path of the state file, which is next to the case directory and lists the commands done.
std::string state_path(const CasePlan& plan);
/// Returns the path of the log file, which is next to the case directory and contains the output of the
/// commands.
std::string log_path(const CasePlan& plan);

/// Determines the progress of a case from its state file, without changing anything. A case that was started
/// with other settings or commands is blocked, and the remark names the differences. The directory of CIME,
/// batch settings and the case whose build is used may differ. Throws Error (system) if the progress cannot
/// be read.
CaseProgress inspect_case(const CasePlan& plan);

/// Actions that a run would take for a case.
struct CasePreview {
  const CasePlan* plan;   ///< plan of the case; never null
  CaseProgress progress;  ///< progress so far
  bool purges = false;    ///< whether existing files would be removed first

  /// Returns the index of the first command that would run, or the number of commands if none would run.
  std::size_t first_command() const;
};

/// Determines the actions that a run would take for a case, without changing anything. Throws Error as
/// inspect_case() does.
CasePreview preview_case(const CasePlan& plan, bool force_purge);

/// Result of a case.
enum class CaseResult { submitted, skipped, failed };

/// Returns the name of a result: "submitted", "skipped", "failed".
const char* to_string(CaseResult result);

/// Report on a case.
struct CaseReport {
  std::string name;                        ///< case name
  CaseResult result = CaseResult::failed;  ///< result
  std::string text;  ///< reason why it was skipped or failed, or remark: the command at which it resumed
  std::string log;   ///< path of the log file
  /// Whether the case directory cannot be used (CaseState::blocked). SubmissionRun::force_purge would remove
  /// it.
  bool blocked = false;
};

/// Options and callbacks of a run.
struct SubmissionRun {
  bool force_purge = false;  ///< remove existing case directories first, with their state and log files
  std::function<void(const CasePlan&, const Command&)> on_command = {};  ///< callback before a command runs
  std::function<void(std::string_view)> on_output = {};  ///< callback for parts of a command's output
  std::function<void(const CaseReport&)> on_case = {};   ///< callback when a case has ended
};

/// Runs the cases one after another. A case that fails is reported, and the others continue, except those
/// that use its build. Without a batch system, case.submit of CIME 5.6 runs the case and ends with status 1
/// after "case.run success"; this is a success with a remark. Creates the case root if it is missing, and
/// removes nothing outside of it. Throws Error (system) if the case root cannot be created.
std::vector<CaseReport> run_submission(const std::vector<CasePlan>& plans, const SubmissionRun& run = {});

/// Number of cases by result.
struct CaseTally {
  std::size_t submitted = 0, skipped = 0, failed = 0;  ///< numbers of cases
  std::size_t blocked = 0;                             ///< failed cases that the same run would not resume
};

/// Counts the reports by their results.
CaseTally tally(std::span<const CaseReport> reports);

}  // namespace plimsoll::pelayout
