#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>

namespace plimsoll::pelayout {

/// What timing runs to make: the options of `plimsoll layout submit`.
struct SubmissionOptions {
  std::string compset;
  std::string resolution;
  std::optional<std::string> compiler, project, machine, mpilib;
  std::string casename_prefix = "lbt_timing_run";                  ///< cases are <prefix>_<pesize>
  std::string scripts;                                             ///< folder of create_newcase
  std::string case_root;                                           ///< folder in which cases are made
  std::vector<std::pair<std::string, std::string>> extra_options;  ///< of the extra options file
  std::optional<std::string> command_template;                     ///< a user's own script, instead of CIME's
};

/// One command, as an argument vector, never a shell line.
struct Command {
  std::vector<std::string> arguments;
  std::string folder;  ///< in which it runs
};

/// The commands of one case, in order.
struct CasePlan {
  std::string name;
  std::string folder;
  std::string pesize;
  std::vector<Command> commands;
};

/// VAR=VALUE lines; blank lines and comments (#) are passed over. Throws Error (bad_input), with file and
/// line, for anything else.
std::vector<std::pair<std::string, std::string>> parse_extra_options(std::string_view text,
                                                                     const std::string& file);

/// The commands for all entries of a PE file: create_newcase, xmlchange with the documented defaults, the
/// extra options, then the entry's counts, case.setup, case.build, case.submit (documentation, section 1).
/// Throws Error (bad_input) for entries without pesize, or two with the same.
std::vector<CasePlan> plan_submission(const PesFile& pes, const SubmissionOptions& options);

}  // namespace plimsoll::pelayout
