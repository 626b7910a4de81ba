#pragma once

#include <map>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/profile_launch.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the kind of content of a directory: files, or else logs that were not merged into files.
ProfileContent profile_content(const std::string& folder);

/// The files of profiles in a directory. Other programs may replace them.
class ProfileFiles {
 public:
  explicit ProfileFiles(const std::string& folder);
  /// Removes those that nobody has replaced since then.
  void remove() const;

 private:
  std::map<std::string, support::FileIdentity> files_;  // by path
};

/// Finds out why the run of a command recorded nothing, from the observations of the profiler in its
/// processes, or else from the programs that the command names.
EmptyProfile explain_empty_profile(const std::vector<std::string>& command,
                                   const CollectedEvidence& evidence);

}  // namespace plimsoll::collectives
