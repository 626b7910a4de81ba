#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/json_text.hpp>

#include "collectives/profile_file/text_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Creates all files of a profile, or none of them. If the files may overwrite others, also removes old files
/// that could be mistaken for a part of the profile: other files of the same kinds and jobs, such as those of
/// a lead that the new profile lacks. Text files of kinds that were not rewritten are kept, so that times can
/// be added to counts. Names without a job match any job.
///
/// A profile file describes all text files of its job. It is therefore written last, and not if other text
/// files of the job are kept.
class ProfileOutput {
 public:
  /// Creates the directory if it is missing. Throws Error (system).
  ProfileOutput(std::string folder, bool overwrite);

  /// Writes a text file, which gets its final name in publish(). Throws the same Errors as
  /// support::OutputFile.
  void add(const std::string& name, const std::function<void(support::TextBuffer&)>& write);
  void add(const std::string& name, std::string_view text);
  /// Writes the profile files of all jobs. Throws Error (usage) if the set contains no text files, but the
  /// directory does, and they may not be overwritten.
  void add_profile_files(const Profile& profile);
  /// Renames the files durably to their final names, and returns their paths. Throws Error.
  std::vector<std::string> publish();

 private:
  std::set<std::string> names() const;
  std::vector<std::string> stale_files() const;
  std::vector<std::string> kept_texts() const;
  void add_profile_file(const Profile& profile, std::uint64_t job, bool with_profile);

  std::string folder_;
  bool overwrite_;
  support::OutputSet files_;
  std::vector<TextFile> texts_;
  std::set<std::uint64_t> jobs_;  ///< jobs of the profile files
};

}  // namespace plimsoll::collectives
