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

}  // namespace plimsoll::cli
