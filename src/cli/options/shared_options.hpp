#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/text_source.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Calls a library function with the value of an option. Adds the option's name before the text of an Error
/// (usage), because errors of libraries do not contain option names.
template <class Call>
decltype(auto) with_option(const char* option, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.what.insert(0, std::string(option) + ": ");
    throw Error(error.kind(), std::move(diagnostic));
  }
}

/// Replaces the suggestion in a library's error with a suggestion that names options of the command.
inline Error with_suggestion(const Error& error, std::string suggestion) {
  Diagnostic diagnostic = error.diagnostic();
  diagnostic.suggestion = std::move(suggestion);
  return {error.kind(), std::move(diagnostic)};
}

/// Options of every subcommand that reads files.
struct InputOptions {
  std::vector<std::string> paths;
  support::SizeLimits limits;
  unsigned threads = 0;
  std::size_t expected_ranks = 0;  ///< 0: as the files specify
};

/// Adds PATH..., --max-size, --threads and --expected-ranks.
void add_input_options(OptionParser& parser, InputOptions& options);
/// Adds --expected-ranks.
void add_expected_ranks_option(OptionParser& parser, InputOptions& options);
/// Adds --max-size and --threads.
void add_reading_options(OptionParser& parser, InputOptions& options);
void add_json_option(OptionParser& parser, bool& json);
/// Adds --ascii, for commands that draw charts; see Terminal::show_ascii_charts().
void add_ascii_option(OptionParser& parser, bool& ascii);

/// Reads a data set with a progress display; prints problems of the data as warnings.
lbdata::Dataset read_input(const InputOptions& options, const lbdata::PhaseSelection& phases,
                           Terminal& terminal);

/// Destination and format of a data set that a subcommand writes.
struct OutputOptions {
  std::string folder;  ///< output directory; if empty, nothing is written
  bool plain = false;
  bool force = false;
};

/// Adds the option `names`, for the output directory, and --plain. Returns the first option.
Option add_output_folder(OptionParser& parser, OutputOptions& options, const std::string& names);
/// Adds --output, --plain and --force. Returns the first option.
Option add_output_options(OptionParser& parser, OutputOptions& options);

/// Adds an option whose value must not be empty.
template <class Text>
Option add_text_option(OptionParser& parser, const std::string& names, Text& value, const std::string& help) {
  return parser.add_option(names, value, help).check(check_name);
}

/// Throws Error (usage) if two output files have the same name. Empty names stand for outputs that were not
/// requested, and `-` for stdout.
void expect_distinct_files(std::span<const std::string> paths);

/// Throws Error (usage) if the output data set exists and must not be replaced.
void check_output(const OutputOptions& options);

/// Throws Error (usage) if the output file exists and must not be replaced. Does nothing without a name, and
/// for `-`, which stands for stdout.
void check_output_file(const std::string& path, bool force);

/// Throws Error (usage) if a file that goes to stdout is requested together with --json, which also does.
void check_stdout(const std::string& path, bool json);

lbdata::WriteOptions write_options(const OutputOptions& options);

/// Writes DIR/data.<rank>.json[.br] with a progress display.
void write_output(const lbdata::Dataset& dataset, const OutputOptions& options, unsigned threads,
                  Terminal& terminal);

/// Returns the names of the built-in strategies, and of the load models.
std::vector<std::string> strategy_names();
std::vector<std::string> load_model_names();

/// Adds --load, which selects the member of the tasks' user data that is used as load.
void add_load_option(OptionParser& parser, std::string& field);

/// Returns one line with the load model of the loads shown; empty for measured loads.
std::string load_model_line(const std::string& load_model);
/// Returns one line with the field of the loads shown; empty for recorded loads.
std::string load_field_line(const std::string& field);

/// Returns a sentence with the lower bound on the maximum work or, without a work model, on the maximum load.
std::string bound_text(const balance::Bound& bound, const std::optional<double>& work_bound);

/// Adds --param NAME=VALUE, which may be repeated. An invalid or duplicate value is an Error (usage) when the
/// command line is parsed.
void add_parameter_option(OptionParser& parser, balance::ParameterMap& parameters, const char* help);

/// Adds --work ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]. Sets `memory` to true if delta is specified, even as 0,
/// because users who specify it have files with shared blocks. Otherwise memory is not read. Negative
/// coefficients, or too few or too many of them, are an Error (usage) when the command line is parsed.
void add_work_option(OptionParser& parser, std::optional<balance::WorkCoefficients>& work, bool& memory);

/// Adds --subphases free|synchronised.
void add_subphases_option(OptionParser& parser, bool& synchronised);

/// Returns one line on the subphases after which the ranks synchronise; empty if they do not.
std::string subphases_line(const balance::DatasetPhase& phase);

/// Adds --simulate-ranks.
Option add_simulate_ranks_option(OptionParser& parser, balance::PhaseRequest& request);

/// Adds --phase, --load-model, --subphases, --load-dimension, --position, --ranks-per-node and --work. They
/// select the phase and the parts of its data that strategies use. Without options the request is unchanged.
void add_phase_options(OptionParser& parser, balance::PhaseRequest& request);

}  // namespace plimsoll::cli
