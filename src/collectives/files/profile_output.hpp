#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Creates all files of a profile, or none of them. If the files may overwrite others, also removes old files
/// that could be mistaken for a part of the profile: other files of the same kinds and jobs, such as those of
/// a lead that the new profile lacks. Files of kinds that were not rewritten are kept, so that times can be
/// added to counts. Names without a job match any job.
class ProfileOutput {
 public:
  /// Creates the directory if it is missing. Throws Error (system).
  ProfileOutput(std::string folder, bool overwrite);

  /// Writes a file, which gets its final name in publish(). Throws the same Errors as support::OutputFile.
  void add(const std::string& name, const std::function<void(support::TextBuffer&)>& write);
  void add(const std::string& name, std::string_view text);
  /// Renames the files durably to their final names, and returns their paths. Throws Error.
  std::vector<std::string> publish();

 private:
  std::string folder_;
  bool overwrite_;
  support::OutputSet files_;
};

}  // namespace plimsoll::collectives
