#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "cli/options/shared_options.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/terminal/text.hpp"

// What every subcommand uses, with the headers of options and of output.

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Function that runs a subcommand after its options are parsed; returns the exit status.
using Command = std::function<int(Terminal&)>;

/// Sets the examples of a subcommand, and returns its options.
template <class Options>
std::shared_ptr<Options> begin_command(OptionParser& parser, const char* examples) {
  parser.set_examples(examples);
  return std::make_shared<Options>();
}

// Functions that define the options of subcommands, one file per subcommand. The footer of the help contains
// examples.
Command define_validate(OptionParser& parser);
Command define_info(OptionParser& parser);
Command define_generate(OptionParser& parser);
Command define_import(OptionParser& parser);
Command define_balance(OptionParser& parser);
Command define_compare(OptionParser& parser);
Command define_replay(OptionParser& parser);
Command define_compare_data(OptionParser& parser);
Command define_report(OptionParser& parser);
Command define_serve(OptionParser& parser);
Command define_repair(OptionParser& parser);
Command define_convert(OptionParser& parser);
Command define_export(OptionParser& parser);
Command define_models(OptionParser& parser);
Command define_strategies(OptionParser& parser);
Command define_spec(OptionParser& parser);
Command define_doctor(OptionParser& parser);
Command define_profile(OptionParser& parser);
Command define_completions(OptionParser& parser);
Command define_help(OptionParser& parser);

// Subcommands of `plimsoll collectives`.
Command define_collectives_summary(OptionParser& parser);
Command define_collectives_patterns(OptionParser& parser);
Command define_collectives_matrix(OptionParser& parser);
Command define_collectives_calls(OptionParser& parser);
Command define_collectives_functions(OptionParser& parser);
Command define_collectives_sites(OptionParser& parser);
Command define_collectives_compare(OptionParser& parser);
Command define_collectives_scaling(OptionParser& parser);
Command define_collectives_merge(OptionParser& parser);
Command define_collectives_export(OptionParser& parser);
Command define_collectives_reorder(OptionParser& parser);

// Subcommands of `plimsoll layout`.
Command define_layout_solve(OptionParser& parser);
Command define_layout_submit(OptionParser& parser);
Command define_layout_list(OptionParser& parser);

/// Returns what --version --verbose prints after the version. Loads the optional libraries.
std::string version_details();

/// Runs plimsoll-validator, the replacement of vt's validator, with the words after its name. Returns the
/// exit status. Throws Error (usage) if the command line is invalid, and Error (system) if a file cannot be
/// opened.
int run_vt_validator(std::vector<std::string> words, Terminal& terminal);
/// Describes plimsoll-validator, for its man page.
CommandDescription describe_vt_validator();

/// Runs the command line; returns the exit status. The name in argv[0] selects `plimsoll` or
/// `plimsoll-validator`. Throws Error, of kind usage if the command line is invalid.
int run(int argc, const char* const* argv, Terminal& terminal);

}  // namespace plimsoll::cli
