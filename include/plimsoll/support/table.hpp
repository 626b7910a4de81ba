#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::inline v0_1::support {

/// Columns that a UTF-8 text takes in a terminal: combining marks take none, East Asian wide characters and
/// emoji two, colour sequences (ESC [ ... m) none, bytes that are not UTF-8 one each.
std::size_t display_width(std::string_view text);

/// A table of text, laid out in columns two blanks apart under its headings.
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

  /// Cells that are missing at the end are empty; there may not be more than columns. What is not
  /// printable() in a cell becomes question marks, but for the colour of a whole cell.
  void add_row(std::vector<std::string> cells);
  /// A line across, e.g. above totals.
  void add_rule() { rows_.emplace_back(); }

  /// All lines, each ended by a newline, without blanks at their ends.
  std::string to_string() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace plimsoll::support
