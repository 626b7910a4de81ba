#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats a count: "1,234".
std::string count(std::integral auto number) {
  return support::format_count(static_cast<std::uint64_t>(number));
}

/// Formats a count with a unit: "1 file", "1,234 files".
std::string count(std::integral auto number, const char* what) {
  return fmt::format("{} {}{}", count(number), what, number == 1 ? "" : "s");
}

/// Joins the texts of items.
template <class Text = std::identity>
std::string joined(const auto& items, std::string_view separator, Text text = {}) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(std::ranges::distance(items)));
  for (const auto& item : items) texts.emplace_back(std::invoke(text, item));
  return fmt::format("{}", fmt::join(texts, separator));
}

using Align = support::TextTable::Align;

/// A column of a table with one row per item.
template <class Item>
struct Column {
  std::string heading;
  Align align;
  std::function<std::string(const Item&)> cell;
  bool is_shown = true;
};

/// Formats a table with one row per item, and a rule after a number of rows.
template <class Item>
std::string table_of(const std::ranges::input_range auto& items, std::vector<Column<Item>> columns,
                     std::size_t rows_above_rule = 0) {
  std::erase_if(columns, [](const Column<Item>& column) { return !column.is_shown; });
  std::vector<support::TextTable::Column> headings;
  headings.reserve(columns.size());
  for (const Column<Item>& column : columns) headings.push_back({column.heading, column.align});
  support::TextTable table(std::move(headings));
  for (const Item& item : items) {
    std::vector<std::string> row;
    row.reserve(columns.size());
    for (const Column<Item>& column : columns) row.push_back(column.cell(item));
    table.add_row(std::move(row));
    if (--rows_above_rule == 0) table.add_rule();
  }
  return table.to_string(Terminal::width());
}

/// Returns the first items of a list, or all of them if their number is not limited.
template <class Item>
std::span<const Item> first(const std::vector<Item>& list, std::optional<std::size_t> limit) {
  return std::span(list).first(std::min(list.size(), limit.value_or(list.size())));
}

/// Returns the line that follows the first items of a list, if it has more.
inline std::string more(std::size_t shown, std::size_t all) {
  return all > shown ? fmt::format("... and {} more (--json lists all)\n", count(all - shown)) : "";
}

/// Returns a JSON object on a line, with the members that `write` adds.
inline std::string json_line(const std::function<void(support::JsonWriter&)>& write) {
  std::string text;
  support::JsonWriter json(text);
  write(json.begin_object());
  json.end_object();
  return text + '\n';
}

/// Returns the string for JSON, or null if it is empty.
inline std::optional<std::string_view> if_any(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// Returns the findings or warnings of a list as lines for JSON.
inline std::vector<std::string> lines_of(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) lines.push_back(to_string(diagnostic));
  return lines;
}

/// Breaks a sentence into lines of at most `width` columns; all but the first are indented. The result ends
/// with a newline. Numbers are not separated from the following word.
std::string wrapped(std::string_view sentence, std::size_t width, std::size_t indent = 0);

/// Breaks lines of text for people that are wider than the terminal, at spaces, and indents the rest.
/// Commands stay on one line, so that users can copy them.
std::string fitted(std::string_view text, std::size_t width = Terminal::width());

/// Formats bytes as stored in files, including fractions and amounts beyond 64 bits; "-" if not finite.
inline std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  return bytes < 9e18 ? support::format_bytes(static_cast<std::uint64_t>(std::llround(bytes)))
                      : fmt::format("{:.3g} B", bytes);
}

/// Formats the memory of a rank or node; "-" if it is unknown.
inline std::string memory_text(std::optional<double> bytes) {
  return bytes ? bytes_text(*bytes) : "-";
}

/// Formats max / mean - 1 with as many digits as vt prints; "-" without load.
inline std::string imbalance_text(double imbalance) {
  return support::format_fixed(imbalance, 4);
}

/// Formats how far a maximum load or work is above its lower bound: "+0.5 %"; "-" without load.
inline std::string above_bound_text(double max_s, double bound_s, int digits = 1) {
  return bound_s > 0 ? support::format_difference(max_s / bound_s - 1, digits) : "-";
}

}  // namespace plimsoll::cli
