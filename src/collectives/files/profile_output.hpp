#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/support/output_set.hpp>
#include <plimsoll/support/text_buffer.hpp>

namespace plimsoll::inline v0_1::collectives {

/// The files of a profile, which are created together or not at all. If they may overwrite others, it also
/// removes old files that could be mistaken for a part of them (stale_files.hpp).
class ProfileOutput {
 public:
  /// Creates the directory if it is missing. Throws Error (system).
  ProfileOutput(std::string folder, bool overwrite);

  /// Writes a file that does not have its final name yet. Throws the same Errors as support::OutputFile.
  void add(const std::string& name, const std::function<void(support::TextBuffer&)>& write);
  /// Publishes the files durably under their final names, and returns their paths. Throws Error.
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

}  // namespace plimsoll::collectives
