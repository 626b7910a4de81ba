#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/submission.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

/// A case with a build that other cases may use.
struct SharedBuild {
  std::string folder;            ///< directory of the case
  std::string settings;          ///< settings that affect the build
  std::set<std::string> counts;  ///< names of the other settings, which affect only the run
};
using SharedBuilds = std::vector<SharedBuild>;

/// Adds CIME's commands to the plan of a case, and its settings. `entry` contains the values of the PE file
/// in the order in which CIME receives them. The case uses one of the builds if possible; otherwise it is
/// added to them.
void add_cime_commands(CasePlan& plan, const Settings& entry, const SubmissionOptions& options,
                       SharedBuilds& builds);

}  // namespace plimsoll::pelayout
