#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

// Except for ticks, values that are not finite are formatted as "-": they are unknown or beyond the range of
// double.

/// Formats bytes in binary multiples with one decimal: "0 B", "1023 B", "1.5 KiB", "4.0 GiB".
std::string format_bytes(std::uint64_t bytes);
/// Formats a duration: "12.3 us", "12.3 ms", "1.50 s", "2 min 5 s", "3 h 20 min"; three significant digits
/// below a minute. Accepts negative values ("-1.00 s").
std::string format_seconds(double seconds);
/// Formats an integer with thousands separators: "1,234,567".
std::string format_count(std::uint64_t count);
/// Formats a number with four significant digits and thousands separators: "0.5", "28.78", "1,024", "12,346";
/// integers in full.
std::string format_number(double value);
/// Formats a number for an axis, exact and short: "0.5", "64", "1,024", "10k", "2.5M".
std::string format_tick(double value);
/// Formats a number with a fixed number of decimals: "0.25". Numbers that round to zero have no sign.
std::string format_fixed(double value, int decimals);
/// Formats a ratio in percent with one decimal: 0.1234 is "12.3 %".
std::string format_percentage(double ratio);
/// Formats a relative difference in percent with its sign: 0.1234 is "+12.3 %". Differences that round to
/// zero are positive.
std::string format_difference(double ratio, int decimals = 1);
/// Converts ASCII letters to upper case, regardless of the locale; keeps other bytes.
std::string upper_case(std::string_view text);

/// Returns the number of terminal columns that a UTF-8 text takes. Combining marks and colour sequences (ESC
/// [ ... m) take none, East Asian wide characters and emoji take two, and each byte that is not UTF-8 takes
/// one.
std::size_t display_width(std::string_view text);
/// Returns the number of bytes at the front of a text that take at most `width` columns, but at least one
/// character. O(result).
std::size_t bytes_within(std::string_view text, std::size_t width);

/// A table of text, laid out in columns two spaces apart under its headings.
class TextTable {
 public:
  /// The side that cells are aligned to: usually left for text, right for numbers.
  enum class Align { left, right };
  /// The heading of a column, and the side its cells are aligned to.
  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row. Missing cells at the end are empty; a row may not have more cells than columns. Characters
  /// of a cell that are not printable() become question marks, except the colour of a whole cell.
  void add_row(std::vector<std::string> cells);
  /// Adds a horizontal line, e.g. above totals.
  void add_rule() { rows_.emplace_back(); }

  /// Returns all lines, each ending in a newline, without trailing spaces. If they would exceed `width`
  /// columns, long text and headings are broken into lines. If the numbers are too wide, the table continues
  /// below itself, and repeats its first column.
  std::string to_string(std::size_t width = std::numeric_limits<std::size_t>::max()) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a horizontal line
};

}  // namespace plimsoll::support
