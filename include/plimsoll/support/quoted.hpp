#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/printable.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Quotes text from a user or a file for a one-line message. The result is enclosed in two `mark`s, with
/// control characters, quotation marks and backslashes escaped as in JSON, and U+FFFD for bytes that are not
/// UTF-8. Up to `max_bytes` of the text are shown, in whole characters, with "..." after the closing mark if
/// the text is longer.
std::string in_quotes(std::string_view text, std::size_t max_bytes = 200, char mark = '"');

/// Quotes a word so that a POSIX shell reads it back unchanged. It is in single quotes, unless it consists
/// only of letters, digits and the characters `_-+=./:,@%`. A word with characters that are not printable()
/// is written as $'...' (POSIX 2024, Bash, Zsh), with their bytes in octal. The result may therefore be shown
/// on a terminal.
std::string shell_quoted(std::string_view word);

/// Returns the candidate nearest to `word` by edit distance, ignoring case. Returns an empty string if the
/// distance is above 2 and above a third of the word. Used for suggestions such as «did you mean
/// "GreedyLB"?».
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Style in which did_you_mean() writes the nearest name.
enum class NameStyle {
  quoted,  ///< did you mean "GreedyLB"?
  bare,    ///< did you mean --strategy?
};

/// Returns «did you mean "GreedyLB"?» if nearest() finds a known name for `name`, else `otherwise`.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known,
                         std::string_view otherwise = {}, NameStyle style = NameStyle::quoted);

/// Creates an Error (usage) about an unknown name of this `kind`, such as "strategy": «unknown strategy
/// "GredyLB"; did you mean "GreedyLB"? Available: GreedyLB, RotateLB».
Error unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known);

}  // namespace plimsoll::support
