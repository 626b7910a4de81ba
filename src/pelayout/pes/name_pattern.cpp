#include "pelayout/pes/name_pattern.hpp"

#include <regex>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

constexpr std::size_t max_pattern_chars = 500;
constexpr std::size_t max_name_chars = 1'000;
constexpr std::uint64_t max_work = 10'000'000;  // the largest known file needs 0.5 million steps
constexpr std::size_t compile_work = 100;       // compiling a character costs as much as this many steps

support::Error refused(const std::string& pattern, const std::string& why) {
  return support::bad_input(support::in_quotes(pattern, 60) +
                            " is not a supported regular expression: " + why);
}

/// Rejects constructs that the linear search below does not support, or that would allow a malicious file to
/// cause any amount of work.
void expect_simple(const std::string& pattern) {
  if (pattern.size() > max_pattern_chars) throw refused(pattern, "it is too long");
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const char next = k + 1 < pattern.size() ? pattern[k + 1] : '\0';
    if (pattern[k] == '\\') {
      if (next >= '1' && next <= '9') throw refused(pattern, "it contains a back-reference");
      ++k;
    } else if (pattern[k] == '{') {
      throw refused(pattern, "it contains a repetition count");
    } else if (pattern[k] == '(' && next == '?' && pattern.compare(k, 3, "(?:") != 0) {
      throw refused(pattern, "it contains a group of the form (?...)");
    }
  }
}

bool matches(const std::string& pattern, const std::string& name) {
  try {
    // Use the matcher that follows all alternatives at once; the default matcher tries them one by one, on
    // the stack. Matching the whole name, with any text before and after, takes one pass, whereas a search
    // takes one pass per position.
    constexpr auto flags = std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;
    [[maybe_unused]] const std::regex checked(
        pattern, flags);  // checked alone, because "a)|(b" is valid within the group below
    const std::regex anywhere("[^]*(?:" + pattern + ")[^]*", flags);
    return std::regex_match(name, anywhere);
  } catch (const std::regex_error&) {
    throw refused(pattern, "it is malformed");
  }
}

}  // namespace

bool NamePatterns::is_found(const std::string& pattern, const std::string& name) {
  if (const auto known = found_.find({pattern, name}); known != found_.end()) return known->second;
  expect_simple(pattern);
  if (name.size() > max_name_chars) throw support::bad_input("a name is too long to search");
  const std::uint64_t work = pattern.size() * (name.size() + compile_work);
  if (work > max_work - work_)
    throw support::bad_input("the regular expressions together are too long to search", {},
                             "use fewer or shorter regular expressions");
  work_ += work;
  return found_[{pattern, name}] = matches(pattern, name);
}

}  // namespace plimsoll::pelayout
