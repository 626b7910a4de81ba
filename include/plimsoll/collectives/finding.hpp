#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A fact that costs a program time or bytes, and the command that follows.
struct Finding {
  std::string text;             ///< sentence without a full stop, with a number
  std::string command;          ///< command line that shows more; empty if nothing is to be done
  std::optional<double> share;  ///< share of the run that it concerns, if known
};

/// Returns "plimsoll COMMAND PATHS OPTIONS" for a shell. `paths` are the files and directories of a profile;
/// "." alone is omitted, because commands read the current directory by default.
std::string command_line(const std::string& command, const std::vector<std::string>& paths,
                         const std::string& options = {});

}  // namespace plimsoll::collectives
