#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/collectives/traffic_matrix.hpp>

namespace plimsoll::inline v0_1::cli {

/// Which calls' traffic a subcommand of collectives takes, as users write it.
struct TrafficOptions {
  std::string call;
  std::string signature;
  std::string communicator;
  std::string operation;
};

/// --call, --signature, --communicator, --operation.
void add_traffic_options(CLI::App& app, TrafficOptions& options);

/// What they say. Throws Error (usage) for what is no LEAD:NUMBER, or no operation.
collectives::TrafficSelection traffic_selection(const TrafficOptions& options);

/// Writes a small text file, and tells nobody. Throws Error: usage if it exists and `overwrite` is not set.
void write_text_file(const std::string& path, const std::string& text, bool overwrite);

}  // namespace plimsoll::cli
