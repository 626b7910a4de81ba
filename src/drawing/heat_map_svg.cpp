#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <plimsoll/drawing/heat_map.hpp>
#include <plimsoll/drawing/internal/svg.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

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
