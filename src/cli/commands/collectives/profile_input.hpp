#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// What the subcommands of collectives that read a profile can be told.
struct ProfileInput {
  std::vector<std::string> paths = {"."};
  std::optional<std::uint32_t> lead;  ///< only what this rank leads
  std::string operation;              ///< only this operation; all if empty
};

/// PATH..., the current folder if there is none.
void add_profile_input(CLI::App& app, ProfileInput& input);
/// --lead, --operation.
void add_profile_selection(CLI::App& app, ProfileInput& input);

/// A call, a signature or a communicator as users name it.
struct LeadNumber {
  std::uint32_t lead = 0;    ///< the rank that leads
  std::uint64_t number = 0;  ///< what it is on that lead
};

/// Reads LEAD:NUMBER, the value of an option. Throws Error (usage) if it is none.
LeadNumber read_lead_number(const char* option, const std::string& text);

/// Reads the profile of files or folders with progress; shows what is odd about them as warnings.
collectives::Profile read_profile(const std::vector<std::string>& paths, Terminal& terminal);
/// The same of an input, and keeps of it what was asked for.
collectives::Profile read_profile(const ProfileInput& input, Terminal& terminal);

}  // namespace plimsoll::cli
