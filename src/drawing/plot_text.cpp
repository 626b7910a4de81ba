#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include <plimsoll/support/internal/format.hpp>

#include "drawing/plot_axis.hpp"
#include "drawing/text_canvas.hpp"

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

/// Lines of a plot: in braille characters, of 2 x 4 dots each, or in plain characters. All lines after the
/// first are dashed or use other characters, so that they differ even without colours.
class LineRaster {
 public:
  LineRaster(std::size_t columns, std::size_t rows, bool ascii)
      : columns_(columns), rows_(rows), ascii_(ascii), cells_(columns * rows) {}

  std::size_t column(double position) const { return dot(position, columns_ * across()) / across(); }
  std::size_t row(double position) const { return dot(1 - position, rows_ * down()) / down(); }

  /// Draws one line through positions on the two axes.
  void draw(const std::vector<std::pair<double, double>>& positions, std::size_t line) {
    std::size_t steps_before = 0;
    for (std::size_t k = 0; k < positions.size(); ++k) {
      const auto [x1, y1] = positions[k];
      const auto [x0, y0] = positions[k == 0 ? 0 : k - 1];
      const double width = std::abs(x1 - x0) * static_cast<double>(columns_ * across());
      const double height = std::abs(y1 - y0) * static_cast<double>(rows_ * down());
      const auto steps = static_cast<std::size_t>(std::ceil(std::max(width, height)));
      for (std::size_t step = 0; step <= steps; ++step) {
        const double part = steps == 0 ? 1 : static_cast<double>(step) / static_cast<double>(steps);
        if (is_drawn(steps_before + step, line)) set(std::lerp(x0, x1, part), std::lerp(y0, y1, part), line);
      }
      steps_before += steps;
    }
  }

  void paint(TextCanvas& canvas, std::size_t top, std::size_t left) const {
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t column = 0; column < columns_; ++column)
        if (const std::uint8_t cell = cells_[row * columns_ + column])
          canvas.write(top + row, left + column,
                       ascii_ ? std::string(1, static_cast<char>(cell)) : braille(cell));
  }

  /// Returns two columns of text that show the style of one line.
  static std::string sample(std::size_t line, bool ascii) {
    static constexpr std::array<std::string_view, 3> samples = {"⠤⠤", "⠤⠀⠤", "⠄⠄"};
    if (ascii) return std::string(2, character(line));
    return std::string(samples[std::min<std::size_t>(line, 2)]);
  }

 private:
  std::size_t across() const { return ascii_ ? 1 : 2; }
  std::size_t down() const { return ascii_ ? 1 : 4; }

  static std::size_t dot(double position, std::size_t dots) {
    return static_cast<std::size_t>(
        std::lround(std::clamp(position, 0.0, 1.0) * static_cast<double>(dots - 1)));
  }
  static char character(std::size_t line) { return ".:~-"[std::min<std::size_t>(line, 3)]; }
  static std::string braille(std::uint8_t dots) {  // UTF-8 encoding of U+2800 plus the eight bits
    return {'\xE2', static_cast<char>(0xA0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3F))};
  }

  bool is_drawn(std::size_t step, std::size_t line) const {
    if (ascii_ || line == 0) return true;
    return line == 1 ? step % 8 < 5 : step % 4 < 1;
  }
  void set(double x, double y, std::size_t line) {
    static constexpr std::uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const std::size_t dot_x = dot(x, columns_ * across());
    const std::size_t dot_y = dot(1 - y, rows_ * down());
    std::uint8_t& cell = cells_[dot_y / down() * columns_ + dot_x / across()];
    if (ascii_)
      cell = static_cast<std::uint8_t>(character(line));
    else
      cell |= bits[dot_y % 4][dot_x % 2];
  }

  std::size_t columns_, rows_;
  bool ascii_;
  std::vector<std::uint8_t> cells_;  // dots or character of each cell; 0 if empty
};

std::string mark_text(char mark, bool ascii) {
  if (ascii) return std::string(1, mark);
  switch (mark) {
    case 'x': return "×";
    case 'o': return "○";
    case '*': return "★";
    default: return std::string(1, mark);
  }
}

// Returns the number of a series among the lines of the plot, for its dashes.
std::size_t line_number(const Plot& plot, const PlotSeries& series) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plot.series.data(), &series, [](const PlotSeries& before) { return before.line; }));
}

std::string legend(const Plot& plot, const PlotTextOptions& options) {
  std::string text, line;
  for (const PlotSeries* series : legend_of(plot)) {
    std::string entry = "  ";
    if (series->line) entry += LineRaster::sample(line_number(plot, *series), options.ascii);
    if (series->marks) entry += mark_text(series->mark, options.ascii);
    entry += ' ';
    entry += series->name;
    entry = shortened(entry, options.width, options.ascii);
    if (support::display_width(line) + support::display_width(entry) > options.width) {
      text += text_line(line, options.width);
      line.clear();
    }
    line += entry;
  }
  return line.empty() ? text : text + text_line(line, options.width);
}

std::string drawn(const Plot& plot, const PlotFrame& frame, const PlotTextOptions& options) {
  const std::vector<double> y_ticks = frame.y.ticks(options.height / 3 + 1);
  std::size_t margin = 1;
  for (const double value : y_ticks)
    margin = std::max(margin, support::display_width(support::format_tick(value)) + 1);
  const std::size_t left = std::min(margin, options.width / 2) + 1;
  const std::size_t columns = options.width - left;
  TextCanvas canvas(options.width, options.height + (plot.x_label.empty() ? 2 : 3));

  LineRaster raster(columns, options.height, options.ascii);
  for (const PlotSeries& series : plot.series) {
    if (!series.line) continue;
    auto runs = runs_of(plot, series);
    for (std::vector<std::pair<double, double>>& run : runs) {
      for (auto& [x, y] : run) std::tie(x, y) = std::pair(frame.x.position(x), frame.y.position(y));
      raster.draw(run, line_number(plot, series));
    }
  }
  raster.paint(canvas, 0, left);
  for (const PlotSeries& series : plot.series) {
    if (!series.marks) continue;
    for (const auto& run : runs_of(plot, series))
      for (const auto& [x, y] : run)
        canvas.write(raster.row(frame.y.position(y)), left + raster.column(frame.x.position(x)),
                     mark_text(series.mark, options.ascii));
  }

  const std::size_t bottom = options.height;
  for (std::size_t row = 0; row < bottom; ++row) canvas.write(row, left - 1, options.ascii ? "|" : "│");
  canvas.write(bottom, left - 1, options.ascii ? "+" : "└");
  for (std::size_t column = left; column < options.width; ++column)
    canvas.write(bottom, column, options.ascii ? "-" : "─");
  for (const double value : y_ticks) {
    const std::string label = support::format_tick(value);
    const std::size_t row = raster.row(frame.y.position(value));
    canvas.write(row, left - 2 - std::min(support::display_width(label), left - 2), label);
    canvas.write(row, left - 1, options.ascii ? "+" : "┤");
  }
  for (const double value : frame.x.ticks(columns / 7 + 1)) {
    const std::size_t column = left + raster.column(frame.x.position(value));
    if (canvas.write_where_free(bottom + 1, column, support::format_tick(value)))
      canvas.write(bottom, column, options.ascii ? "+" : "┬");
  }
  canvas.write_where_free(bottom + 2, left + columns / 2,
                          shortened(plot.x_label, options.width, options.ascii));
  return canvas.to_string();
}

std::string heading(const std::string& text, const PlotTextOptions& options) {
  return text.empty() ? "" : text_line(text, options.width, options.ascii);
}

}  // namespace

std::string plot_text(const Plot& plot, const PlotTextOptions& wanted) {
  PlotTextOptions options = wanted;
  options.width = std::clamp<std::size_t>(wanted.width, 24, 400);
  options.height = std::clamp<std::size_t>(wanted.height, 4, 100);
  const std::string title = heading(plot.title, options);
  const std::optional<PlotFrame> frame = frame_of(plot);
  if (!frame) return title + "(no points to draw)\n";
  return title + heading(plot.y_label, options) + drawn(plot, *frame, options) + legend(plot, options);
}

}  // namespace plimsoll::drawing
