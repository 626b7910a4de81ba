#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::inline v0_1::cli {

/// A fact that costs the program time or bytes, with a number, and the command that follows.
struct Finding {
  std::string text;
  std::string command;  ///< arguments of plimsoll, without the paths of the profile
};

/// Returns at most three findings: about time first, then about bytes, then about the structure of calls.
/// Each one needs data that the profile contains.
std::vector<Finding> find_what_to_do(const collectives::Profile& profile,
                                     const collectives::Summary& summary);

/// Formats findings as the last lines of a summary of the profile in `paths`; "" without findings.
std::string findings_text(const std::vector<Finding>& findings, const std::vector<std::string>& paths);

/// Writes the member "findings".
void write_findings(support::JsonWriter& json, const std::vector<Finding>& findings,
                    const std::vector<std::string>& paths);

}  // namespace plimsoll::cli
