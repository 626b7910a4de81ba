#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Description of timing runs: the options of `plimsoll layout submit`.
struct SubmissionOptions {
  std::string compset;     ///< component set; required by CIME
  std::string resolution;  ///< grid; required by CIME
  std::optional<std::string> compiler, project, machine,
      mpilib;  ///< optional settings of CIME; if empty, CIME's defaults
  std::optional<std::string> walltime, queue,
      account;  ///< settings of the batch jobs: JOB_WALLCLOCK_TIME, JOB_QUEUE, CHARGE_ACCOUNT of CIME
  /// Whether to build every case. Otherwise a case is a clone of an earlier one, and uses its build, if CIME
  /// allows that (`create_clone --keepexe`).
  bool separate_builds = false;
  bool run_unsupported =
      false;  ///< allow pairs of compset and grid that are not tested, which CESM rejects by default
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
};

/// The commands of one case, in order.
struct CasePlan {
  std::string name;
  std::string folder;  ///< case directory: the case name within the case root
  std::string pesize;  ///< pesize of the case's entry in the PE file
  bool makes_folder =
      true;  ///< whether the first command creates the directory; otherwise the directory must exist
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

/// Lists the commands for all sizes (pesize) of a PE file, in the order of the file. If several entries have
/// the same size, the one that best fits resolution, machine and compset is used, as in CIME.
///
/// For CIME, these are create_newcase; xmlchange with the documented defaults, the extra options, then the
/// entry's counts; case.setup, case.build and case.submit (section 1 of the documentation of CIME's tool). A
/// case is created, built and run in its directory in the case root. Negative counts (nodes) are passed
/// unchanged.
///
/// If `scripts` contains create_clone, a case is a clone of the first case that needs the same build: the
/// same components have several threads, and the same variables are set. Counts may differ, but the clone
/// must set all counts that the original sets. It then needs no case.build.
///
/// For a command template, words are separated by spaces. '...' and "..." quote spaces, and \ quotes any
/// character. {case}, {folder}, {pesize}, {NTASKS_ATM} and other variables of the entry are replaced.
/// Negative counts (nodes) become numbers of tasks, which requires that the entry sets MAX_MPITASKS_PER_NODE.
///
/// Throws Error (usage) for a settings_problem(), for invalid syntax of a template or a wall time,
/// and for names that begin with a dash. Throws Error
/// (bad_input) for
/// - entries without pesize, or with pesize "any" among several entries,
/// - two entries with the same pesize for the same runs,
/// - a size that does not fit the run,
/// - names that are not valid directory names,
/// - a template with unknown variables, or with numbers of nodes that cannot become numbers of tasks,
/// - unless the file is trusted, values that a program could mistake for an option (a leading dash) or CIME
///   for a command ($SHELL{...}).
std::vector<CasePlan> plan_submission(const PesFile& pes, const SubmissionOptions& options);

}  // namespace plimsoll::pelayout
