#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t gap = 2;               // columns between two columns of a table
constexpr std::size_t narrowest_text = 10;   // column whose cells are broken into lines
constexpr std::size_t narrowest_words = 12;  // the same, if words are broken
constexpr std::size_t longest_name = 24;     // that is not broken, as MPI_Reduce_scatter_block

// Replaces unprintable characters, but keeps a colour of the whole cell; untrusted text within the cell
// cannot end it or begin another.
std::string printable_cell(std::string_view cell) {
  constexpr std::string_view reset = "\x1b[0m";
  const std::size_t paint = colour_size(cell);
  if (paint == 0 || cell.size() < paint + reset.size() || !cell.ends_with(reset)) return printable(cell);
  const std::string_view text = cell.substr(paint, cell.size() - paint - reset.size());
  return std::string(cell.substr(0, paint)) + printable(text) + std::string(reset);
}

void append_cell(std::string& line, std::string_view cell, std::size_t width, TextTable::Align align) {
  const std::size_t padding = width - display_width(cell);
  if (align == TextTable::Align::right) line.append(padding, ' ');
  line += cell;
  if (align == TextTable::Align::left) line.append(padding, ' ');
}

/// Breaks a cell without colours into lines of at most `width` columns, at spaces if possible. O(bytes).
Cells lines_of(std::string_view cell, std::size_t width) {
  Cells lines;
  while (colour_size(cell) == 0) {
    const std::size_t fitting = bytes_within(cell, width);
    if (fitting == cell.size()) break;
    const std::size_t space = cell.rfind(' ', fitting);
    const bool has_space = space != std::string_view::npos && space > 0;
    lines.emplace_back(cell.substr(0, has_space ? space : fitting));
    cell.remove_prefix(has_space ? space + 1 : fitting);
  }
  lines.emplace_back(cell);
  return lines;
}

/// Returns the width of the widest word, except those that are wider than `limit`.
std::size_t widest_word(std::string_view text, std::size_t limit = std::numeric_limits<std::size_t>::max()) {
  std::size_t widest = 0;
  for (const std::string_view word : split(text, ' '))
    if (const std::size_t width = display_width(word); width <= limit) widest = std::max(widest, width);
  return widest;
}

/// The columns of a table with their widths.
class TableLayout {
 public:
  TableLayout(const std::vector<TextTable::Column>& columns, const std::vector<Cells>& rows)
      : columns_(columns) {
    for (const TextTable::Column& column : columns) {
      const std::size_t k = widths_.size();
      std::size_t cells = 0;
      std::size_t word = widest_word(column.heading);
      std::size_t name = widest_word(column.heading, longest_name);
      for (const Cells& row : rows) {
        if (row.empty()) continue;
        cells = std::max(cells, display_width(row[k]));
        word = std::max(word, widest_word(row[k]));
        name = std::max(name, widest_word(row[k], longest_name));
      }
      widths_.push_back(std::max(cells, display_width(column.heading)));
      least_.push_back(column.align == TextTable::Align::right
                           ? std::max(cells, widest_word(column.heading))
                           : std::min(widths_[k], std::clamp(word, narrowest_text, narrowest_words)));
      with_names_.push_back(std::max(least_[k], std::min(widths_[k], name)));
    }
  }

  /// Narrows the widest columns as far as necessary and sensible: breaks text, and headings of numbers; names
  /// only if a part of the table would not fit.
  void narrow(std::size_t width) {
    narrow(width, with_names_);
    const bool fits = std::ranges::all_of(widths_.begin() + 1, widths_.end(), [&](std::size_t column) {
      return widths_[0] + gap + column <= width;
    });
    if (!fits || widths_[0] > width) narrow(width, least_);
  }

  /// Divides the columns into parts that fit; each begins with the first column.
  std::vector<std::vector<std::size_t>> parts(std::size_t width) const {
    std::vector<std::vector<std::size_t>> parts = {{0}};
    std::size_t used = widths_[0];
    for (std::size_t k = 1; k < widths_.size(); ++k) {
      if (used + gap + widths_[k] > width && parts.back().size() > 1) {
        parts.push_back({0});
        used = widths_[0];
      }
      parts.back().push_back(k);
      used += gap + widths_[k];
    }
    return parts;
  }

  /// Returns a row, on as many lines as its longest cell needs; a horizontal line if it is empty.
  std::string row_text(const Cells& cells, const std::vector<std::size_t>& part) const {
    std::vector<Cells> lines;
    std::size_t height = 1;
    for (const std::size_t k : part) {
      lines.push_back(cells.empty() ? Cells{std::string(widths_[k], '-')} : lines_of(cells[k], widths_[k]));
      height = std::max(height, lines.back().size());
    }
    std::string text;
    for (std::size_t n = 0; n < height; ++n) {
      std::string line;
      for (std::size_t k = 0; k < part.size(); ++k) {
        if (k > 0) line.append(gap, ' ');
        append_cell(line, n < lines[k].size() ? lines[k][n] : "", widths_[part[k]], columns_[part[k]].align);
      }
      text.append(without_trailing_spaces(line)) += '\n';
    }
    return text;
  }

 private:
  void narrow(std::size_t width, const std::vector<std::size_t>& least) {
    const std::size_t used = std::accumulate(widths_.begin(), widths_.end(), gap * (widths_.size() - 1));
    for (std::size_t excess = used - std::min(used, width); excess > 0; --excess) {
      std::size_t* widest = nullptr;
      for (std::size_t k = 0; k < widths_.size(); ++k)
        if (widths_[k] > least[k] && (widest == nullptr || widths_[k] > *widest)) widest = &widths_[k];
      if (widest == nullptr) return;
      --*widest;
    }
  }

  const std::vector<TextTable::Column>& columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::size_t> least_;
  std::vector<std::size_t> with_names_;  ///< least widths at which no name is broken
};

}  // namespace

void TextTable::add_row(std::vector<std::string> cells) {
  PLIMSOLL_EXPECT(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable_cell(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string(std::size_t width) const {
  Cells headings;
  for (const Column& column : columns_) headings.push_back(column.heading);
  TableLayout layout(columns_, rows_);
  layout.narrow(width);
  std::string text;
  for (const std::vector<std::size_t>& part : layout.parts(width)) {
    if (!text.empty()) text += '\n';
    text += layout.row_text(headings, part) + layout.row_text({}, part);
    for (const Cells& row : rows_) text += layout.row_text(row, part);
  }
  return text;
}

}  // namespace plimsoll::support
