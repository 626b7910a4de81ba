#pragma once

#include <span>
#include <string>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/writer.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

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
template <OptionValue Text>
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

/// Converts the options to those of the library.
lbdata::WriteOptions write_options(const OutputOptions& options);

/// Writes DIR/data.<rank>.json[.br] with a progress display.
void write_output(const lbdata::Dataset& dataset, const OutputOptions& options, unsigned threads,
                  Terminal& terminal);

}  // namespace plimsoll::cli
