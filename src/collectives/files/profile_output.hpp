#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/support/output_set.hpp>
#include <plimsoll/support/text_buffer.hpp>

namespace plimsoll::inline v0_1::collectives {

/// The files of a profile, which come into being together or not at all. Where they may overwrite others,
/// nothing of these stays that would be taken for a part of them (stale_files.hpp).
class ProfileOutput {
 public:
  /// Makes the folder if it is not there. Throws Error (system).
  ProfileOutput(std::string folder, bool overwrite);

  /// Writes a file of which the name is not to be seen yet. Throws Error as support::OutputFile.
  void add(const std::string& name, const std::function<void(support::TextBuffer&)>& write);
  /// Makes the files durable and gives them their names; returns their paths. Throws Error.
  std::vector<std::string> publish();

 private:
  std::string folder_;
  bool overwrite_;
  support::OutputSet files_;
};

/// Each number and a blank, and the line's end.
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
