#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/submission.hpp>

namespace plimsoll::inline v0_1::pelayout {

using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

/// Directories of the cases with a build, by the settings that affect the build.
using SharedBuilds = std::map<std::string, std::string>;

/// Adds CIME's commands to the plan of a case, and its settings. `entry` contains the values of the PE file
/// in the order in which CIME receives them. The case uses one of the builds if possible; otherwise it is
/// added to them.
void add_cime_commands(CasePlan& plan, const Settings& entry, const SubmissionOptions& options,
                       SharedBuilds& builds);

}  // namespace plimsoll::pelayout
