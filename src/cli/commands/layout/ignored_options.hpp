#pragma once

#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/commands/layout/solve_options.hpp"
#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Warns of options that change nothing because of other options: those for timing files if the problem comes
/// from a file, and those without the option that they belong to.
void warn_of_ignored_options(const SolveOptions& options, const OptionParser& parser,
                             std::vector<Diagnostic>& warnings);

/// Warns of facts (--run_days, --steps_per_day, --measured_tasks) that describe none of the runs, nor the run
/// of --check. Throws Error as pelayout::read_timing_file() does.
void warn_of_unused_facts(const SolveOptions& options, std::vector<pelayout::TimingFile> runs,
                          std::vector<Diagnostic>& warnings);

}  // namespace plimsoll::cli
