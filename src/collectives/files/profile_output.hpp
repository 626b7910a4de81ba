#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Creates all files of a profile, or none of them. If the files may overwrite others, also removes old files
/// that could be mistaken for a part of the profile (stale_files()).
class ProfileOutput {
 public:
  /// Creates the directory if it is missing. Throws Error (system).
  ProfileOutput(std::string folder, bool overwrite);

  /// Writes a file, which gets its final name in publish(). Throws the same Errors as support::OutputFile.
  void add(const std::string& name, const std::function<void(support::TextBuffer&)>& write);
  /// Renames the files durably to their final names, and returns their paths. Throws Error.
  std::vector<std::string> publish();

 private:
  std::string folder_;
  bool overwrite_;
  support::OutputSet files_;
};

/// Appends each number followed by a space, then a newline.
template <class Numbers>
void append_row(support::TextBuffer& output, const Numbers& numbers) {
  for (const auto number : numbers) {
    if (number < 0 || number > 9) {
      output.append(number);
      output.append(" ");
    } else {
      const char digit_and_blank[] = {static_cast<char>('0' + number), ' '};
      output.append(std::string_view(digit_and_blank, 2));
    }
  }
  output.append("\n");
}

/// Returns whether the name is that of a file of a profile. Logs are not part of a profile.
bool is_profile_file(const std::string& name);

/// Finds files of an earlier profile in a directory, after the files `written_names` have been written.
/// Returns other files of the same kinds and jobs, such as the files of a lead that the new profile lacks.
/// Files of kinds that were not rewritten are kept, so that times can be added to counts. Names without a job
/// match any job. Throws Error (system) if the directory cannot be read.
std::vector<std::string> stale_files(const std::string& folder,
                                     const std::vector<std::string>& written_names);

}  // namespace plimsoll::collectives
