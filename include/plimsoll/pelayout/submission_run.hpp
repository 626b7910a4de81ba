#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/submission.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// What is to be done for a case.
enum class CaseState {
  fresh,       ///< everything
  unfinished,  ///< what was begun and stopped goes on with the first command that was not done
  submitted,   ///< nothing: all commands are done
  measured,    ///< nothing: its folder has a timing file
  blocked,     ///< its folder cannot be used, and goes only if that is asked for
};

/// Its name: "fresh", "unfinished", ...
const char* to_string(CaseState state);

/// How far a case has come.
struct CaseProgress {
  CaseState state = CaseState::fresh;
  std::size_t commands_done = 0;  ///< from the first on
  std::string remark;             ///< why it is blocked, or what is good to know
};

/// Path of the file beside the folder of a case that says what was done, command by command.
std::string state_path(const CasePlan& plan);
/// Path of the file beside the folder of a case that has what the commands printed.
std::string log_path(const CasePlan& plan);

/// Looks how far a case has come; changes nothing. What was done stands in its state file; a case that was
/// begun with other commands is blocked. Throws Error (system) if that cannot be read.
CaseProgress inspect_case(const CasePlan& plan);

/// What would be done for a case.
struct CasePreview {
  const CasePlan* plan;   ///< never null
  CaseProgress progress;  ///< so far
  bool purges = false;    ///< what is there would be removed first

  /// Index of the first command that would be run; the number of commands if none would.
  std::size_t first_command() const;
};

/// Looks what would be done for a case; changes nothing. Throws Error as inspect_case() does.
CasePreview preview_case(const CasePlan& plan, bool force_purge);

/// How a case ended.
enum class CaseResult { submitted, skipped, failed };

/// Its name: "submitted", "skipped", "failed".
const char* to_string(CaseResult result);

/// What became of a case.
struct CaseReport {
  std::string name;                        ///< of the case
  CaseResult result = CaseResult::failed;  ///< how it ended
  std::string text;                        ///< why it was skipped or failed; from where it went on
  std::string log;                         ///< path of its log
  /// Whether its folder cannot be used (CaseState::blocked): purging it would help.
  bool blocked = false;
};

/// How to run, and whom to tell.
struct SubmissionRun {
  bool force_purge = false;  ///< remove existing case folders first, with their state and log
  std::function<void(const CasePlan&, const Command&)> on_command = {};  ///< it is about to run
  std::function<void(std::string_view)> on_output = {};                  ///< part of what a command prints
  std::function<void(const CaseReport&)> on_case = {};                   ///< a case is over
};

/// Makes the cases one after another. One that fails is reported, and the others go on. The case root is made
/// if it is not there; nothing outside of it is removed. Throws Error (system) if it cannot be made.
std::vector<CaseReport> run_submission(const std::vector<CasePlan>& plans, const SubmissionRun& run = {});

/// How many cases came to which end.
struct CaseTally {
  std::size_t submitted = 0, skipped = 0, failed = 0;  ///< numbers of cases
};

/// Counts the reports by their results.
CaseTally tally(std::span<const CaseReport> reports);

}  // namespace plimsoll::pelayout
