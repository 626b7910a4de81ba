#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// What timing runs to make: the options of `plimsoll layout submit`.
struct SubmissionOptions {
  std::string compset;                                            ///< component set; CIME needs it
  std::string resolution;                                         ///< grid; CIME needs it
  std::optional<std::string> compiler, project, machine, mpilib;  ///< CIME's own choice if not set
  bool run_unsupported =
      false;  ///< CESM refuses pairs of compset and grid that nobody has tested, but for this
  std::string casename_prefix = "lbt_timing_run";  ///< cases are <prefix>_<pesize>
  std::string scripts;                             ///< folder of create_newcase, absolute
  std::string case_root;                           ///< folder in which cases are made, absolute
  std::vector<std::pair<std::string, std::string>> extra_options;  ///< of the extra options file
  std::optional<std::string> command_template;                     ///< a user's own script, instead of CIME's
  /// Whether values of the PE file may begin with a dash or make CIME run commands ($SHELL{...}).
  bool trusts_pes_file = false;
};

/// One command, as an argument vector, never a shell line.
struct Command {
  std::vector<std::string> arguments;  ///< the program first
  std::string folder;                  ///< in which it runs; here if empty
};

/// The commands of one case, in order.
struct CasePlan {
  std::string name;
  std::string folder;             ///< of the case: its name, in the case root
  std::string pesize;             ///< of its entry in the PE file
  bool makes_folder = true;       ///< its first command makes the folder; else that must be there before
  std::vector<Command> commands;  ///< in the order in which they run
};

/// The line by which a shell would run it, to read or to paste; no two commands have the same.
std::string to_shell(const Command& command);

/// VAR=VALUE lines; blank lines and comments (#) are passed over. Throws Error (bad_input), with file and
/// line, for anything else.
std::vector<std::pair<std::string, std::string>> parse_extra_options(std::string_view text,
                                                                     const std::string& file);

/// A folder's absolute path, without `.`, `..` and a slash at its end.
std::string absolute_folder(const std::string& folder);

/// Folder of CIME's create_newcase, absolute, in CIME's own folder: `root` or, if that is empty, $CIMEROOT or
/// $CIME_DIR. Throws Error (usage) if none is given, and, with `must_exist`, if create_newcase is not there.
std::string cime_scripts_folder(const std::string& root, bool must_exist);

/// The commands for all sizes (pesize) of a PE file, in the order of the file. If several entries have a
/// size, the one is taken that fits resolution, machine and compset best, as CIME chooses.
///
/// CIME (its documentation, section 1): create_newcase; xmlchange with the documented defaults, the extra
/// options, then the entry's counts; case.setup, case.build, case.submit. A case is made, built and run
/// within its folder in the case root. Negative counts (nodes) are passed on as they are.
///
/// A command template: its words, apart by blanks, with '...' and "..." around blanks and \ before any
/// character, and {case}, {folder}, {pesize}, {NTASKS_ATM} or any other variable of the entry in them.
///
/// Throws Error (bad_input): entries without pesize, or for any if there are several; two with the same for
/// the same runs; a size that does not fit the run; names that are none for a folder; a template that names
/// what there is not; unless the file is trusted, values that a program could take for an option (a leading
/// dash) or CIME for a command ($SHELL{...}).
std::vector<CasePlan> plan_submission(const PesFile& pes, const SubmissionOptions& options);

}  // namespace plimsoll::pelayout
