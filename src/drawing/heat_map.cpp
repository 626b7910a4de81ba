#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <plimsoll/drawing/heat_map.hpp>
#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

constexpr std::string_view characters = " .:-=+*#%@";
/// Colours of the levels: nearly black for zero, then nine steps from dark blue through red to yellow, from
/// the palette of 256-colour terminals. Their lightness rises.
constexpr std::array<int, 10> terminal_colours = {232, 17, 54, 90, 126, 161, 196, 202, 214, 226};

std::vector<std::string> binned_labels(const std::vector<std::string>& labels, std::size_t per_cell) {
  std::vector<std::string> result;
  for (std::size_t first = 0; first < labels.size(); first += per_cell) {
    const std::size_t last = std::min(first + per_cell, labels.size()) - 1;
    result.push_back(first == last ? labels[first] : labels[first] + '-' + labels[last]);
  }
  return result;
}

std::size_t widest(const std::vector<std::string>& labels) {
  std::size_t width = 0;
  for (const std::string& label : labels) width = std::max(width, support::display_width(label));
  return width;
}

/// Columns of a cell, and the number of rows and columns that it combines.
struct Layout {
  std::size_t cell_width = 2;
  std::size_t per_cell = 1;
};

Layout layout(std::size_t size, std::size_t width) {
  if (size * 2 <= width) return {2, 1};
  if (size <= width) return {1, 1};
  const std::size_t cells = std::max<std::size_t>(width / 2, 1);
  return {2, (size + cells - 1) / cells};
}

/// Writes labels above their columns, skipping as many as needed so that they do not touch.
std::string column_header(const std::vector<std::string>& labels, std::size_t margin, std::size_t cell_width,
                          std::size_t width) {
  const std::size_t step = (widest(labels) + cell_width) / cell_width;
  std::string line;
  for (std::size_t column = 0; column < labels.size(); column += step) {
    const std::size_t begin = margin + column * cell_width;
    if (begin + support::display_width(labels[column]) > width) break;
    line.resize(begin, ' ');
    line += labels[column];
  }
  return line;
}

class Painter {
 public:
  Painter(bool colour, std::size_t cell_width) : colour_(colour), cell_width_(cell_width) {}

  std::string cell(std::size_t level) {
    if (!colour_) return std::string(cell_width_, characters[level]);
    std::string text = level == level_ ? "" : fmt::format("\x1b[48;5;{}m", terminal_colours[level]);
    level_ = level;
    return text + std::string(cell_width_, ' ');
  }
  std::string end() {
    if (!colour_) return {};
    level_ = terminal_colours.size();
    return "\x1b[0m";
  }

 private:
  bool colour_;
  std::size_t cell_width_;
  std::size_t level_ = terminal_colours.size();
};

std::string legend(const HeatMap& map, const HeatScale& scale, bool colour) {
  Painter painter(colour, 2);
  const auto swatch = [&](std::size_t level) {
    return colour ? painter.cell(level) + painter.end() : '"' + std::string(1, characters[level]) + '"';
  };
  std::string line = swatch(0) + " 0";
  if (scale.largest() > 0)
    for (const std::size_t level : {1U, 3U, 5U, 7U, 9U})
      line += fmt::format("  {} to {}", swatch(level), map.label_of(scale.upper_bound(level)));
  return line;
}

constexpr std::size_t max_cells = 512;
/// Colours of the levels: white for zero, then nine steps from yellow through red to dark blue (matplotlib's
/// plasma, CC0, reversed). Their lightness falls.
constexpr std::array<std::string_view, 10> level_colours = {"#ffffff", "#f0f921", "#fdc527", "#f89540",
                                                            "#e66c5c", "#cc4778", "#aa2395", "#7e03a8",
                                                            "#4c02a1", "#0d0887"};
constexpr double map_size = 640;
constexpr double top = 76;

/// Returns the distance between labelled cells that keeps labels from overlapping.
std::size_t label_step(std::size_t cells, double cell_size, double room) {
  std::size_t step = 1;
  while (static_cast<double>(step) * cell_size < room && step < cells) step *= 2;
  return step;
}

std::string axes(const HeatMap& map, double left, double cell_size) {
  std::string svg;
  const std::size_t row_step = label_step(map.rows, cell_size, 13);
  for (std::size_t row = 0; row < map.rows; row += row_step)
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.2f}" text-anchor="end">{}</text>)"
                       "\n",
                       left - 6, top + (static_cast<double>(row) + 0.5) * cell_size + 4,
                       xml_escaped(map.row_labels[row]));
  std::size_t longest = 1;
  for (const std::string& label : map.column_labels) longest = std::max(longest, label.size());
  const std::size_t column_step = label_step(map.columns, cell_size, 7.0 * static_cast<double>(longest) + 6);
  for (std::size_t column = 0; column < map.columns; column += column_step)
    svg += fmt::format(R"(<text x="{:.2f}" y="{:.1f}" text-anchor="middle">{}</text>)"
                       "\n",
                       left + (static_cast<double>(column) + 0.5) * cell_size, top - 6,
                       xml_escaped(map.column_labels[column]));
  svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" font-weight="bold">{}</text>)"
                     "\n",
                     left + static_cast<double>(map.columns) * cell_size / 2, top - 24,
                     xml_escaped(map.column_title));
  const double middle = top + static_cast<double>(map.rows) * cell_size / 2;
  svg += fmt::format(
      R"-(<text x="14" y="{0:.1f}" text-anchor="middle" font-weight="bold" transform="rotate(-90 14 {0:.1f})">{1}</text>)-"
      "\n",
      middle, xml_escaped(map.row_title));
  return svg;
}

std::string cells(const HeatMap& map, const HeatScale& scale, double left, double cell_size) {
  std::string svg =
      fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.2f}" height="{:.2f}" fill="{}" stroke="#888"/>)"
                  "\n",
                  left, top, static_cast<double>(map.columns) * cell_size,
                  static_cast<double>(map.rows) * cell_size, level_colours[0]);
  svg += "<g shape-rendering=\"crispEdges\">\n";
  for (std::size_t row = 0; row < map.rows; ++row)
    for (std::size_t column = 0; column < map.columns; ++column) {
      const double value = map.values[row * map.columns + column];
      if (!(value > 0)) continue;  // background is already drawn
      svg += fmt::format(
          R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"><title>{} to {}: {}</title></rect>)"
          "\n",
          left + static_cast<double>(column) * cell_size, top + static_cast<double>(row) * cell_size,
          cell_size, cell_size, level_colours[scale.level(value)], xml_escaped(map.row_labels[row]),
          xml_escaped(map.column_labels[column]), xml_escaped(map.label_of(value)));
    }
  return svg + "</g>\n";
}

std::string legend(const HeatMap& map, const HeatScale& scale, double left) {
  std::string svg;
  const std::size_t n_levels = scale.largest() > 0 ? level_colours.size() : 1;
  for (std::size_t level = 0; level < n_levels; ++level) {
    const double y = top + 20 * static_cast<double>(n_levels - 1 - level);
    svg += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="16" height="16" fill="{}" stroke="#888"/>)"
                       R"(<text x="{:.1f}" y="{:.1f}">{}</text>)"
                       "\n",
                       left, y, level_colours[level], left + 22, y + 12,
                       level == 0 ? "0" : xml_escaped("to " + map.label_of(scale.upper_bound(level))));
  }
  return svg;
}

}  // namespace

std::string HeatMap::label_of(double value) const {
  return value_label ? value_label(value) : fmt::format("{:.3g}", value);
}

HeatMap binned(const HeatMap& map, std::size_t per_cell) {
  PLIMSOLL_EXPECT(per_cell > 0 && map.values.size() == map.rows * map.columns);
  HeatMap result = map;
  result.row_labels = binned_labels(map.row_labels, per_cell);
  result.column_labels = binned_labels(map.column_labels, per_cell);
  result.rows = result.row_labels.size();
  result.columns = result.column_labels.size();
  result.values.assign(result.rows * result.columns, 0);
  for (std::size_t row = 0; row < map.rows; ++row)
    for (std::size_t column = 0; column < map.columns; ++column)
      result.values[row / per_cell * result.columns + column / per_cell] +=
          map.values[row * map.columns + column];
  for (std::size_t row = 0; row < result.rows; ++row)
    for (std::size_t column = 0; column < result.columns; ++column)
      result.values[row * result.columns + column] /=
          static_cast<double>(std::min(per_cell, map.rows - row * per_cell) *
                              std::min(per_cell, map.columns - column * per_cell));
  return result;
}

HeatScale::HeatScale(const std::vector<double>& values, std::size_t levels, bool logarithmic)
    : levels_(levels), logarithmic_(logarithmic) {
  for (const double value : values) {
    largest_ = std::max(largest_, value);
    if (value > 0 && (smallest_ == 0 || value < smallest_)) smallest_ = value;
  }
}

std::size_t HeatScale::level(double value) const {
  if (!(value > 0)) return 0;
  const auto steps = static_cast<double>(levels_ - 1);
  const double share = logarithmic_ && smallest_ < largest_
                           ? std::log(value / smallest_) / std::log(largest_ / smallest_)
                           : value / largest_;
  return static_cast<std::size_t>(std::clamp(std::ceil(share * steps), 1.0, steps));
}

double HeatScale::upper_bound(std::size_t level) const {
  const double share = static_cast<double>(level) / static_cast<double>(levels_ - 1);
  return logarithmic_ ? smallest_ * std::pow(largest_ / smallest_, share) : largest_ * share;
}

std::string heat_map_text(const HeatMap& whole, const HeatMapOptions& options) {
  if (whole.values.empty()) return {};
  const std::size_t size = std::max(whole.rows, whole.columns);
  std::size_t margin = widest(whole.row_labels) + 1;
  Layout cells = layout(size, options.width - std::min(margin, options.width - 1));
  if (cells.per_cell > 1) {  // ranges are wider than numbers
    margin = widest(binned(whole, cells.per_cell).row_labels) + 1;
    cells = layout(size, options.width - std::min(margin, options.width - 1));
  }
  const HeatMap map = binned(whole, cells.per_cell);
  const HeatScale scale(map.values, characters.size(), map.logarithmic);

  std::string text = map.title.empty() ? "" : map.title + "\n";
  std::vector<std::string> first_labels;
  for (std::size_t column = 0; column < map.columns; ++column)
    first_labels.push_back(whole.column_labels[column * cells.per_cell]);
  text += fmt::format(
      "{} down, {} across{}\n", map.row_title, map.column_title,
      cells.per_cell > 1 ? fmt::format("; each cell is the mean of {0} x {0} values", cells.per_cell) : "");
  const std::string header = column_header(first_labels, margin, cells.cell_width, options.width);
  text.append(support::without_trailing_spaces(header)) += '\n';
  Painter painter(options.colour, cells.cell_width);
  for (std::size_t row = 0; row < map.rows; ++row) {
    const std::string& label = map.row_labels[row];
    std::string line = std::string(margin - 1 - support::display_width(label), ' ') + label + ' ';
    for (std::size_t column = 0; column < map.columns; ++column)
      line += painter.cell(scale.level(map.values[row * map.columns + column]));
    line += painter.end();
    text.append(support::without_trailing_spaces(line)) += '\n';
  }
  return text + legend(map, scale, options.colour) + '\n';
}

std::string heat_map_svg(const HeatMap& whole) {
  const std::size_t size = std::max<std::size_t>({whole.rows, whole.columns, 1});
  const std::size_t per_cell = (size + max_cells - 1) / max_cells;
  const HeatMap map = binned(whole, per_cell);
  const HeatScale scale(map.values, level_colours.size(), map.logarithmic);
  const double cell_size = std::min(48.0, map_size / static_cast<double>(std::max(map.rows, map.columns)));

  std::size_t longest = 1;
  for (const std::string& label : map.row_labels) longest = std::max(longest, label.size());
  const double left = 36 + 7.0 * static_cast<double>(longest);
  const double map_width = std::max(static_cast<double>(map.columns) * cell_size, 240.0);
  const double width = left + map_width + 150;
  const double height = top + std::max(static_cast<double>(map.rows) * cell_size, 210.0) + 20;

  std::string svg = svg_head(width, height, map.title);
  svg += fmt::format(R"(<text x="12" y="22" font-size="16">{}</text>)"
                     "\n",
                     xml_escaped(map.title));
  if (per_cell > 1)
    svg += fmt::format(R"(<text x="12" y="40" fill="#555">each cell is the mean of {0} x {0} values</text>)"
                       "\n",
                       per_cell);
  if (whole.values.empty()) return svg + "</svg>\n";
  svg += axes(map, left, cell_size);
  svg += cells(map, scale, left, cell_size);
  svg += legend(map, scale, left + map_width + 20);
  return svg + "</svg>\n";
}

}  // namespace plimsoll::drawing
