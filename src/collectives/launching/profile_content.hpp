#pragma once

#include <map>
#include <string>

#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/support/files.hpp>

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

}  // namespace plimsoll::collectives
