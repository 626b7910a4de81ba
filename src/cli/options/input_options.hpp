#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/support/text_source.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options of every subcommand that reads files.
struct InputOptions {
  std::vector<std::string> paths;
  support::SizeLimits limits;
  unsigned threads = 0;
};

/// Adds PATH..., --max-size and --threads.
void add_input_options(OptionParser& parser, InputOptions& options);
/// Adds --max-size and --threads.
void add_reading_options(OptionParser& parser, InputOptions& options);
/// Adds --json.
void add_json_option(OptionParser& parser, bool& json);
/// Adds --ascii, for commands that draw charts; see Terminal::show_ascii_charts().
void add_ascii_option(OptionParser& parser, bool& ascii);

/// Reads a data set with a progress display; prints problems of the data as warnings.
lbdata::Dataset read_input(const InputOptions& options, const lbdata::PhaseSelection& phases,
                           Terminal& terminal);

}  // namespace plimsoll::cli
