#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/collectives/traffic_matrix.hpp>

namespace plimsoll::inline v0_1::cli {

/// Options that select the calls whose traffic a subcommand of `plimsoll collectives` uses.
struct TrafficOptions {
  std::string call;
  std::string signature;
  std::string communicator;
  std::string operation;
};

/// Adds --call, --signature, --communicator and --operation.
void add_traffic_options(CLI::App& app, TrafficOptions& options);

/// Converts the options to a selection. Throws Error (usage) for an invalid LEAD:NUMBER or an unknown
/// operation.
collectives::TrafficSelection traffic_selection(const TrafficOptions& options);

}  // namespace plimsoll::cli
