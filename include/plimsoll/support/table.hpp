#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the number of terminal columns that a UTF-8 text takes. Combining marks and colour sequences (ESC
/// [ ... m) take none, East Asian wide characters and emoji take two, and each byte that is not UTF-8 takes
/// one.
std::size_t display_width(std::string_view text);

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

  /// Returns all lines, each ending in a newline, without trailing spaces.
  std::string to_string() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a horizontal line
};

}  // namespace plimsoll::support
