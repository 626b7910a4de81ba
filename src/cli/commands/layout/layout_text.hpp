#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats a number such as "5", "27.4", "9.89" or "0.0383": with three significant digits, or all digits
/// before the decimal point, and with thousands separators.
std::string figure(double number);
/// Formats one of several costs that are shown together. The maximum determines the number of decimals of
/// all.
std::string cost_figure(double cost, double maximum);
/// Joins words: "ATM, ICE and OCN".
std::string enumeration(const std::vector<std::string>& words);
/// Formats a diagnostic as a sentence: the problem and the suggestion.
std::string sentence(const Diagnostic& diagnostic);
/// Returns the width of text in columns: the width of the terminal, up to a limit that keeps lines readable.
std::size_t text_width(const Terminal& terminal);
/// Breaks a sentence into lines of at most `width` columns; all but the first are indented. The result ends
/// with a newline. Numbers are not separated from the following word.
std::string wrapped(std::string_view sentence, std::size_t width, std::size_t indent = 0);

}  // namespace plimsoll::cli
