#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/writer.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// Where and how a subcommand writes a data set.
struct OutputOptions {
  std::string folder;  ///< nothing is written if empty
  bool plain = false;
  bool force = false;
};

/// --output (or what `name` says), --plain, --force. Returns the first.
CLI::Option* add_output_options(CLI::App& app, OutputOptions& options,
                                const std::string& name = "-o,--output");

/// For CLI11: what is wrong with the name of a file or folder; nothing unless it is empty.
std::string check_name(const std::string& name);

/// Throws Error (usage) if the data set that would be written is there and may not be replaced.
void check_output(const OutputOptions& options);

/// What the library is told of them.
lbdata::WriteOptions write_options(const OutputOptions& options);

/// Writes FOLDER/data.<rank>.json[.br] with progress.
void write_output(const lbdata::Dataset& dataset, const OutputOptions& options, unsigned threads,
                  Terminal& terminal);

}  // namespace plimsoll::cli
