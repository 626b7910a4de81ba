#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 and more would be shown as 1024.0.
  while (size >= 1023.95 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, units[unit]);
}

namespace {

constexpr const char* not_finite = "-";

std::string three_digits(double value, const char* unit) {
  const double size = std::abs(value);
  return format_fixed(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0) + ' ' + unit;
}

// Numbers beyond these limits are written with an exponent.
constexpr double largest_written_out = 1e15;
constexpr double smallest_written_out = 1e-4;

std::string format_whole(double value) {
  return (value < 0 ? "-" : "") + format_count(static_cast<std::uint64_t>(std::abs(value)));
}

bool is_written_out(double value) {
  const double size = std::abs(value);
  return size == 0 || (size >= smallest_written_out && size < largest_written_out);
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Code points of widths 0 and 2, limited to the Unicode blocks that occur in names and messages. Terminals
// disagree about the width of other characters (Unicode TR 11).
constexpr Range zero_width[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                                {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
constexpr Range double_width[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                  {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                  {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                  {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

std::size_t code_point_width(std::uint32_t point) {
  const auto holds = [point](const Range& range) { return range.first <= point && point <= range.last; };
  if (std::ranges::any_of(zero_width, holds)) return 0;
  return std::ranges::any_of(double_width, holds) ? 2 : 1;
}

// Returns the size in bytes of a leading sequence that selects a colour or style, or 0.
std::size_t sequence_size(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return not_finite;
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 999.5e-9) return three_digits(seconds * 1e9, "ns");
  if (size < 999.5e-6) return three_digits(seconds * 1e6, "us");
  if (size < 999.5e-3) return three_digits(seconds * 1e3, "ms");
  if (size < 59.95) return three_digits(seconds, "s");
  if (size >= 1e15) return fmt::format("{:.2e} s", seconds);
  const char* sign = seconds < 0 ? "-" : "";
  const auto whole = static_cast<std::uint64_t>(std::llround(size));
  if (whole < 3600) return fmt::format("{}{} min {} s", sign, whole / 60, whole % 60);
  const std::uint64_t minutes = (whole + 30) / 60;
  return fmt::format("{}{} h {} min", sign, format_count(minutes / 60), minutes % 60);
}

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t position = text.size(); position > 3; position -= 3) text.insert(position - 3, 1, ',');
  return text;
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return not_finite;
  if (!is_written_out(value)) return fmt::format("{:.4g}", value);
  const double rounded = std::round(value);
  return std::abs(value) >= 999.95 || rounded == value ? format_whole(rounded) : fmt::format("{:.4g}", value);
}

std::string format_tick(double value) {
  static constexpr std::array<std::pair<double, char>, 4> units = {
      {{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}}};
  if (!is_written_out(value)) return fmt::format("{:.3g}", value);
  for (const auto& [size, letter] : units) {
    if (std::abs(value) < std::max(size, 1e4)) continue;
    const double scaled = value / size;
    if (std::round(scaled * 10) / 10 == scaled) return fmt::format("{:g}{}", scaled, letter);
    break;
  }
  return std::round(value) == value ? format_whole(value) : fmt::format("{:.10g}", value);
}

std::string format_fixed(double value, int decimals) {
  PLIMSOLL_EXPECT(decimals >= 0);
  if (!std::isfinite(value)) return not_finite;
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool negative_zero = text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos;
  return negative_zero ? text.substr(1) : text;
}

std::string format_percentage(double ratio) {
  const double percentage = ratio * 100;
  return std::isfinite(percentage) ? format_fixed(percentage, 1) + " %" : not_finite;
}

std::string format_difference(double ratio, int decimals) {
  const double percentage = ratio * 100;
  if (!std::isfinite(percentage)) return not_finite;
  const std::string number = format_fixed(percentage, decimals);
  return (number.front() == '-' ? "" : "+") + number + " %";
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return result;
}

namespace {

struct Symbol {
  std::size_t bytes;
  std::size_t columns;
};

/// Returns the first character of a text, or the colour sequence with which it begins.
Symbol first_symbol(std::string_view text) {
  if (const std::size_t skipped = sequence_size(text)) return {skipped, 0};
  const std::size_t size = utf8_size(text);
  if (size == 0) return {1, 1};
  return {size, code_point_width(utf8_code_point(text, size))};
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Symbol symbol = first_symbol(text);
    width += symbol.columns;
    text.remove_prefix(symbol.bytes);
  }
  return width;
}

std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const Symbol symbol = first_symbol(text.substr(bytes));
    used += symbol.columns;
    if (bytes > 0 && used > width) break;
    bytes += symbol.bytes;
  }
  return bytes;
}

}  // namespace plimsoll::support
