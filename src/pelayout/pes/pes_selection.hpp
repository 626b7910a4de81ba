#pragma once

#include <utility>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Matches names against the regular expressions of a PE file. Searches each pair only once.
class NamePatterns {
 public:
  /// Returns whether an expression is found in the long name of a grid, machine or compset. The time is
  /// proportional to the product of their lengths, for every expression. Throws Error (bad_input), without a
  /// file, for an expression that
  /// - is invalid or longer than 500 characters,
  /// - uses constructs that would take longer: repetition counts, lookahead, backreferences,
  /// - would increase the time of all searches beyond about a second.
  bool is_found(const std::string& pattern, const std::string& name);

  /// Returns the sum over all searches so far of the expression's length times the name's length, in
  /// characters.
  std::uint64_t work() const { return work_; }

 private:
  std::map<std::pair<std::string, std::string>, bool> found_;
  std::uint64_t work_ = 0;
};

/// Works like select_pes(), but searches for the file's expressions only once for several sizes.
PesEntry select_pes(const PesFile& file, const PesQuery& query, NamePatterns& patterns);

}  // namespace plimsoll::pelayout
