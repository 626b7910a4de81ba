#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace plimsoll::inline v0_1::pelayout {

/// Searches for the regular expressions of a PE file, each once.
class NamePatterns {
 public:
  /// Whether an expression is found in the long name of a grid, machine or compset. Takes time in proportion
  /// to the product of their lengths, whatever the expression. Throws Error (bad_input), without a file, for
  /// an expression that is none, that is longer than 500 characters, or that uses what would take longer:
  /// repetition counts, looking ahead, back references; and if all searches together would take more than
  /// about a second.
  bool is_found(const std::string& pattern, const std::string& name);

  /// Characters of expressions times characters of names, of all searches so far.
  std::uint64_t work() const { return work_; }

 private:
  std::map<std::pair<std::string, std::string>, bool> found_;
  std::uint64_t work_ = 0;
};

}  // namespace plimsoll::pelayout
