#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// Whether a character shows what it is, and nothing but itself: not a control character (C0, DEL, C1), a
/// line or paragraph separator, or a mark that reorders the text around it (Unicode TR 36, "bidirectional
/// text").
bool is_printable(std::uint32_t code_point);

/// Text from a file, a name or another program as a part of one line for a terminal or a file. Each character
/// that is not printable, line ends too, becomes a question mark, as does each byte that is not UTF-8.
std::string printable(std::string_view text);

/// Which colour sequences printable_lines() keeps.
enum class Colours {
  removed,  ///< none
  kept,     ///< those that Plimsoll writes itself: bold, red, green, yellow, backgrounds of heat maps, reset
};

/// The same for text of several lines, which keeps its line ends and tabulators: the last barrier before a
/// terminal. Parts from elsewhere go through printable() first, or they can forge lines.
std::string printable_lines(std::string_view text, Colours colours = Colours::removed);

/// Bytes of the colour sequence at the front of a text, 0 if it begins with none. Only those that Plimsoll
/// writes itself count; others can hide text.
std::size_t colour_size(std::string_view text);

}  // namespace plimsoll::support
