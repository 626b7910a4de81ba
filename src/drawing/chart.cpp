#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

// Returns the largest finite value of each part of the series; NaN for a part without finite values.
std::vector<double> columns_of(std::span<const double> values, std::size_t width) {
  const std::size_t count = std::min(values.size(), width);
  std::vector<double> columns(count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < values.size(); ++k) {
    double& column = columns[k * count / values.size()];
    if (std::isfinite(values[k]) && !(values[k] <= column)) column = values[k];
  }
  return columns;
}

// Returns the character of one cell of which `eighths` are filled.
std::string_view cell(int eighths, bool ascii) {
  static constexpr std::array<std::string_view, 9> blocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (ascii) return eighths >= 4 ? "#" : eighths > 0 ? "." : " ";
  return blocks[static_cast<std::size_t>(eighths)];
}

void append_trimmed(std::string& text, std::string_view line) {
  text.append(support::without_trailing_spaces(line)) += '\n';
}

std::string bar_of(std::size_t eighths, bool ascii) {
  static constexpr std::array<std::string_view, 8> ends = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (ascii) return std::string((eighths + 4) / 8, '#');
  std::string bar;
  for (std::size_t column = 0; column < eighths / 8; ++column) bar += "█";
  return bar.append(ends[eighths % 8]);
}

}  // namespace

std::string column_chart(std::span<const double> values, const ChartOptions& options) {
  if (values.empty()) return {};
  const std::vector<double> columns = columns_of(values, std::max<std::size_t>(options.width, 1));
  const std::size_t height = std::max<std::size_t>(options.height, 1);
  // Short series are drawn with wider columns, as far as the width allows.
  const std::size_t column_width = std::clamp<std::size_t>(options.width / columns.size(), 1, 4);

  double top = 0;
  for (const double value : columns) top = value > top ? value : top;
  const auto label = [&](double value) {
    return options.y_label ? options.y_label(value) : fmt::format("{:.3g}", value);
  };
  const std::string top_label = label(top);
  const std::string bottom_label = label(0);
  const std::size_t margin =
      std::max(support::display_width(top_label), support::display_width(bottom_label));
  const std::string_view axis = options.ascii ? "|" : "│";

  std::vector<int> filled;  // height of each bar in eighths of a line
  for (const double value : columns) {
    const double ratio = top > 0 && value > 0 ? value / top : 0;
    const auto eighths = static_cast<int>(std::lround(ratio * static_cast<double>(8 * height)));
    filled.push_back(ratio > 0 ? std::max(eighths, 1) : 0);
  }

  std::string text;
  if (!options.title.empty()) append_trimmed(text, options.title);
  for (std::size_t line = height; line-- > 0;) {
    const std::string& mark = line + 1 == height ? top_label : line == 0 ? bottom_label : std::string();
    std::string row(margin - support::display_width(mark), ' ');
    row += fmt::format("{} {}", mark, axis);
    for (const int eighths : filled) {
      const std::string_view drawn =
          cell(std::clamp(eighths - static_cast<int>(8 * line), 0, 8), options.ascii);
      for (std::size_t k = 0; k < column_width; ++k) row += drawn;
    }
    append_trimmed(text, row);
  }
  if (options.x_first.empty() && options.x_last.empty()) return text;

  const std::size_t span = columns.size() * column_width;
  const std::size_t used = support::display_width(options.x_first) + support::display_width(options.x_last);
  std::string row(margin + 2, ' ');
  row += options.x_first;
  row.append(used < span ? span - used : 1, ' ');
  row += options.x_last;
  append_trimmed(text, row);
  return text;
}

std::string bar_chart(std::span<const Bar> bars, const std::string& title, std::size_t width, bool ascii) {
  if (bars.empty()) return {};
  std::size_t label_width = 0;
  std::size_t text_width = 0;
  double longest = 0;
  for (const Bar& bar : bars) {
    label_width = std::max(label_width, support::display_width(bar.label));
    text_width = std::max(text_width, support::display_width(bar.text));
    if (std::isfinite(bar.value)) longest = std::max(longest, bar.value);
  }
  constexpr std::size_t least_columns = 10;
  const std::size_t others = label_width + text_width + 2;
  const std::size_t columns = width > others + least_columns ? width - others : least_columns;
  std::string text;
  if (!title.empty()) append_trimmed(text, title);
  for (const Bar& bar : bars) {
    const double ratio = longest > 0 && bar.value > 0 && std::isfinite(bar.value) ? bar.value / longest : 0;
    const auto eighths = static_cast<std::size_t>(std::lround(ratio * static_cast<double>(8 * columns)));
    std::string row = bar.label;
    row.append(label_width - support::display_width(bar.label) + 1, ' ');
    row += bar_of(ratio > 0 ? std::max<std::size_t>(eighths, 1) : 0, ascii);
    append_trimmed(text, row + " " + bar.text);
  }
  return text;
}

}  // namespace plimsoll::drawing
