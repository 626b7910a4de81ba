#pragma once

#include <optional>
#include <string>

#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/traffic.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options that select the calls whose traffic a subcommand of `plimsoll collectives` uses.
struct TrafficOptions {
  std::string call;
  std::string signature;
  std::string communicator;
  std::string operation;
};

/// Adds --call, --signature, --communicator and --operation.
void add_traffic_options(OptionParser& parser, TrafficOptions& options);

/// Adds --traffic, whose default depends on the recorded data.
Option add_traffic_kind_option(OptionParser& parser, std::string& name);

/// Returns the kind with a name of --traffic; nothing if the name is empty.
std::optional<collectives::TrafficKind> traffic_kind(const std::string& name);

/// Converts the options to a selection. Throws Error (usage) for an invalid LEAD:NUMBER or an unknown
/// operation.
collectives::TrafficSelection traffic_selection(const TrafficOptions& options);

}  // namespace plimsoll::cli
