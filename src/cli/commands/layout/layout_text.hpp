#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// "5", "27.4", "9.89", "0.0383": three digits or all before the point, thousands apart.
std::string figure(double number);
/// Costs beside each other: all with the decimals that suit the greatest.
std::string cost_figure(double cost, double greatest);
/// "+1.2 %".
std::string signed_percentage(double ratio);
/// "ATM, ICE and OCN".
std::string enumeration(const std::vector<std::string>& words);
/// A diagnostic for people: what is wrong, and what to do.
std::string sentence(const Diagnostic& diagnostic);
/// Columns that text takes: those of the terminal, unless lines became hard to read.
std::size_t text_width(const Terminal& terminal);
/// The sentence in lines of at most `width` columns, further ones indented; ends with a newline. Numbers stay
/// with what follows them.
std::string wrapped(std::string_view sentence, std::size_t width, std::size_t indent = 0);

}  // namespace plimsoll::cli
