#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns whether a character is visible and has no effect on other characters. It is not a control
/// character (C0, DEL, C1), a line or paragraph separator, or a mark that reorders the text around it
/// (Unicode TR 36, "bidirectional text").
bool is_printable(std::uint32_t code_point);

/// Converts text from a file, a name or another program to a part of one line for a terminal or a file. Each
/// character that is not printable, including line ends, becomes a question mark, as does each byte that is
/// not UTF-8.
std::string printable(std::string_view text);

/// Colour sequences that printable_lines() keeps.
enum class Colours {
  removed,  ///< remove all
  kept,     ///< keep the sequences that Plimsoll writes: bold, red, green, yellow, backgrounds of heat maps,
            ///< reset
};

/// Converts text of several lines like printable(), but keeps line ends and tabs. It is the last check before
/// a terminal. Untrusted parts must pass through printable() first, because they could forge lines.
std::string printable_lines(std::string_view text, Colours colours = Colours::removed);

/// Returns the size in bytes of the colour sequence at the front of a text, or 0. Only sequences that
/// Plimsoll writes are recognised, because others can hide text.
std::size_t colour_size(std::string_view text);

}  // namespace plimsoll::support
