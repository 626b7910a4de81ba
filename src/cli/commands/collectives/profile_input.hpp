#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/traffic.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options of the subcommands of `plimsoll collectives` that read a profile.
struct ProfileInput {
  std::vector<std::string> paths = {"."};
  std::optional<std::uint32_t> lead;  ///< selects the communicators with this lead rank
  std::string operation;              ///< selects this operation; empty: all operations
};

/// Adds PATH..., which defaults to the current directory.
void add_profile_input(OptionParser& parser, ProfileInput& input);
/// Adds --lead and --operation.
void add_profile_selection(OptionParser& parser, ProfileInput& input);

/// Number of one call, count set or communicator in the notation of options.
struct LeadNumber {
  std::uint32_t lead = 0;    ///< lead rank
  std::uint64_t number = 0;  ///< number of the item on that lead rank
};

/// Parses LEAD:NUMBER, the value of an option. Throws Error (usage) if it is invalid.
LeadNumber read_lead_number(const char* option, const std::string& text);

/// Reads the profile in files or directories, and displays the progress. Prints problems of the files as
/// warnings.
collectives::Profile read_profile(const std::vector<std::string>& paths, Terminal& terminal);
/// Reads the profile at the paths of `input` in the same way. Keeps only the selected lead rank and
/// operation.
collectives::Profile read_profile(const ProfileInput& input, Terminal& terminal);
/// Reads a profile in the same way. Throws Error (bad_input) if it contains no counts.
collectives::Profile read_counts(const ProfileInput& input, Terminal& terminal);

/// Reads the profile and the file of MPI calls at these paths in the same way.
collectives::RecordedRun read_run(const std::vector<std::string>& paths, Terminal& terminal);

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
