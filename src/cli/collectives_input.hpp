#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "cli/terminal.hpp"

namespace plimsoll::cli {

/// What the subcommands of collectives that read a profile can be told.
struct CollectivesInput {
  std::vector<std::string> paths = {"."};
  std::optional<std::uint32_t> lead;  ///< only what this rank leads
  std::string operation;              ///< only this operation; all if empty
};

/// PATH..., the current folder if there is none.
void add_collectives_input(CLI::App& app, CollectivesInput& input);
/// --lead, --operation.
void add_collectives_selection(CLI::App& app, CollectivesInput& input);

/// Reads the profile of files or folders with progress; shows what is odd about them as warnings.
collectives::Profile read_profile(const std::vector<std::string>& paths, Terminal& terminal);
/// The same of an input, and keeps of it what was asked for.
collectives::Profile read_profile(const CollectivesInput& input, Terminal& terminal);

}  // namespace plimsoll::cli
