#pragma once

#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns whether the name is that of a file of a profile. Logs are not part of a profile.
bool is_profile_file(const std::string& name);

/// Finds files of an earlier profile in a directory, after the files `written_names` have been written.
/// Returns other files of the same kinds and jobs, such as the files of a lead that the new profile lacks.
/// Files of kinds that were not rewritten are kept, so that times can be added to counts. Names without a job
/// match any job. Throws Error (system) if the directory cannot be read.
std::vector<std::string> stale_files(const std::string& folder,
                                     const std::vector<std::string>& written_names);

}  // namespace plimsoll::collectives
