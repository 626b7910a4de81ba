#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Description of timing runs: the options of `plimsoll layout submit`.
struct SubmissionOptions {
  std::string compset;                                            ///< component set; required by CIME
  std::string resolution;                                         ///< grid; required by CIME
  std::optional<std::string> compiler, project, machine, mpilib;  ///< if empty, CIME's defaults
  /// Settings of the batch jobs: JOB_WALLCLOCK_TIME, JOB_QUEUE, CHARGE_ACCOUNT of CIME.
  std::optional<std::string> walltime, queue, account;
  /// Whether to build every case. Otherwise a case is a clone of an earlier one, and uses its build, if CIME
  /// allows that (`create_clone --keepexe`).
  bool separate_builds = false;
  bool run_unsupported = false;  ///< allow untested pairs of compset and grid, which CESM rejects by default
  std::vector<std::string> sizes = {};  ///< sizes (pesize) to run; empty for all that match the run
  std::string casename_prefix = "lbt_timing_run";  ///< prefix of case names: <prefix>_<pesize>
  std::string scripts;    ///< absolute path of the directory that contains create_newcase
  std::string case_root;  ///< absolute path of the directory in which cases are created
  std::vector<std::pair<std::string, std::string>> extra_options;  ///< contents of the extra options file
  std::optional<std::string> command_template;  ///< command of a custom script that replaces CIME's scripts
  /// Whether values of the PE file may begin with a dash or make CIME run commands ($SHELL{...}).
  bool trusts_pes_file = false;
};

/// A command as an argument vector; it runs without a shell.
struct Command {
  std::vector<std::string> arguments;  ///< program and its arguments
  std::string folder;                  ///< working directory; if empty, the current directory
  bool may_fail = false;               ///< whether the case continues if the command fails
  std::string refused_output = {};     ///< text in the command's output that stops the case; empty for none
};

/// The commands of one case, in order.
struct CasePlan {
  std::string name;
  std::string folder;        ///< case directory: the case name within the case root
  std::string pesize;        ///< pesize of the case's entry in the PE file
  bool makes_folder = true;  ///< whether the first command creates the directory; otherwise it must exist
  std::vector<Command> commands;  ///< commands in execution order
  /// Settings that determine what a case of CIME measures: compset, grid and others of create_newcase, and
  /// XML variables. Batch settings are not among them. Empty for a command template.
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::string build_of = {};  ///< directory of the case whose build this case uses; empty if it has its own
};

/// Formats a command as a shell command line for users to read or paste. Different commands give different
/// lines.
std::string to_shell(const Command& command);

/// Parses lines of the form VAR=VALUE. Blank lines and comments (#) are ignored. Throws Error (bad_input),
/// with file and line, for anything else.
std::vector<std::pair<std::string, std::string>> parse_extra_options(std::string_view text,
                                                                     const std::string& file);

/// Makes a directory's path absolute, without `.`, `..` and a trailing slash.
std::string absolute_folder(const std::string& folder);

/// Returns the absolute path of CIME's directory `scripts`, which contains create_newcase. CIME's directory
/// is `root` or, if it is empty, $CIMEROOT or $CIME_DIR. Throws Error (usage) if none is specified, and, with
/// `must_exist`, if create_newcase does not exist there.
std::string cime_scripts_folder(const std::string& root, bool must_exist);

/// Contradiction in the settings of timing runs.
enum class SettingsProblem {
  missing_compset,              ///< CIME needs a component set
  missing_resolution,           ///< CIME needs a grid
  extra_options_with_template,  ///< extra options require CIME, but a command template replaces it
  batch_options_with_template,  ///< wall time, queue and account require CIME, too
};

/// Returns the first problem for which plan_submission() would reject the settings; nothing if they are
/// valid. `has_extra_options` states that extra options will be added later. This lets callers check the
/// settings before they read the file with the extra options.
std::optional<SettingsProblem> settings_problem(const SubmissionOptions& options,
                                                bool has_extra_options = false);

/// Lists the commands for the sizes (pesize) of the entries of a PE file that match resolution, machine and
/// compset, in the order of the file. The best entry of each size is used, as in CIME, see select_pes(). The
/// size "any" is that of a size that no entry names.
///
/// For CIME, these are create_newcase; xmlchange with the documented defaults, the extra options, then the
/// entry's counts; case.setup, case.build and case.submit (section 1 of the documentation of CIME's tool). A
/// case is created, built and run in its directory in the case root. Negative counts (nodes) are passed
/// unchanged.
///
/// If `scripts` contains create_clone, a case is a clone of the first case that needs the same build: the
/// same components have several threads, and the same variables are set. Counts may differ, but the clone
/// must set all counts that the original sets. It then needs no case.build, but `BUILD_COMPLETE=TRUE` after
/// `case.setup --reset`, which CIME 5.6 to 6.1 uses to request another build. A clone stops before if a
/// component needs another build for other counts (`<component>_PE_CHANGE_REQUIRES_REBUILD`).
///
/// Setting COMP_RUN_BARRIERS may fail, because only the driver of MCT has this variable, and neither the PE
/// file nor the options specify the driver.
///
/// For a command template, words are separated by spaces. '...' and "..." quote spaces, and \ quotes any
/// character. {case}, {folder}, {pesize}, {NTASKS_ATM} and other variables of the entry are replaced.
/// Negative counts (nodes) become numbers of tasks, which requires that the entry sets MAX_MPITASKS_PER_NODE.
///
/// Throws Error (usage) for a settings_problem(), for invalid syntax of a template or a wall time,
/// and for names that begin with a dash. Throws Error
/// (bad_input) for
/// - matching entries without pesize,
/// - two matching entries with the same pesize, and two that fit equally well,
/// - a file of which no entry matches, or a requested size without a matching entry,
/// - names that are not valid directory names,
/// - a template with unknown variables, or with numbers of nodes that cannot become numbers of tasks,
/// - unless the file is trusted, values that a program could mistake for an option (a leading dash) or CIME
///   for a command ($SHELL{...}).
std::vector<CasePlan> plan_submission(const PesFile& pes, const SubmissionOptions& options);

/// Describes how many entries of a PE file match a run, unless all do: short names of grid and component set
/// match fewer entries than the long names that CIME uses. Throws Error as select_pes() does.
std::string unmatched_entries(const PesFile& pes, const SubmissionOptions& options);

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
