#pragma once

#include <string>
#include <vector>

namespace plimsoll::inline v0_1::collectives {

/// What is left of a former profile when files of these names are in a folder: files of the same kinds and
/// jobs that are not among them, such as those of a lead that there is no more. Kinds that are not written
/// anew stay, so that times can be added to counts. Names that do not say their job are of any job. Throws
/// Error (system) if the folder cannot be read.
std::vector<std::string> stale_files(const std::string& folder,
                                     const std::vector<std::string>& written_names);

}  // namespace plimsoll::collectives
