#include <fmt/format.h>

#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "drawing/plot_axis.hpp"

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

/// The rectangle of an SVG picture, in pixels, between the axes of a plot.
struct PlotArea {
  double left = 0, right = 0, top = 0, bottom = 0;

  double pixel_x(const PlotFrame& frame, double x) const {
    return std::lerp(left, right, frame.x.position(x));
  }
  double pixel_y(const PlotFrame& frame, double y) const {
    return std::lerp(bottom, top, frame.y.position(y));
  }
};

std::string x_grid(const PlotFrame& frame, const PlotArea& area) {
  std::string svg;
  double free_from = area.left - 40;
  for (const double value : frame.x.ticks(11)) {
    const double x = area.pixel_x(frame, value);
    svg += fmt::format("<path d=\"M{:.1f},{:.1f}V{:.1f}\" stroke=\"#e2e2e2\"/>", x, area.top, area.bottom);
    const std::string label = support::format_tick(value);
    const double half = svg_text_width(label, 12) / 2;
    if (x - half >= free_from) {
      svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x, area.bottom + 17,
                         label);
      free_from = x + half + 4;
    }
    svg += '\n';
  }
  return svg;
}

std::string y_grid(const PlotFrame& frame, const PlotArea& area) {
  std::string svg;
  for (const double value : frame.y.ticks(7)) {
    const double y = area.pixel_y(frame, value);
    svg += fmt::format(R"(<path d="M{:.1f},{:.1f}H{:.1f}" stroke="#e2e2e2"/>)"
                       R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)"
                       "\n",
                       area.left, y, area.right, area.left - 6, y + 4, support::format_tick(value));
  }
  return svg;
}

std::string labels(const Plot& plot, const PlotArea& area) {
  return fmt::format(
      R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)"
      "\n"
      R"-(<text transform="translate({:.1f},{:.1f}) rotate(-90)" text-anchor="middle">{}</text>)-"
      "\n",
      (area.left + area.right) / 2, area.bottom + 36, xml_escaped(plot.x_label), area.left - 54,
      (area.top + area.bottom) / 2, xml_escaped(plot.y_label));
}

std::string border_svg(const PlotArea& area) {
  return fmt::format(
      R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="none" stroke="#888"/>)"
      "\n",
      area.left, area.top, area.right - area.left, area.bottom - area.top);
}

/// Draws grid lines with their values, the border, and the labels of both axes. Values that would touch the
/// previous one are omitted. Takes 72 pixels to the left of the area and 52 below.
std::string axes_svg(const Plot& plot, const PlotFrame& frame, const PlotArea& area) {
  return x_grid(frame, area) + y_grid(frame, area) + border_svg(area) + labels(plot, area);
}

constexpr double panel_width = 480;
constexpr double panel_height = 340;
constexpr double heading_height = 44;
constexpr double legend_line_height = 18;

/// One plot of the picture, with its title and legend.
class Panel {
 public:
  Panel(const Plot& plot, double x, double y) : plot_(plot), x_(x), y_(y) {
    place_legend();
    area_ = {.left = x + 72,
             .right = x + panel_width - 18,
             .top = y + 34 + legend_line_height * legend_lines_,
             .bottom = y + panel_height - 52};
  }

  std::string to_svg() const {
    std::string svg = fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="14" font-weight="bold">{}</text>)"
                                  "\n",
                                  area_.left, y_ + 18, xml_escaped(plot_.title));
    const std::optional<PlotFrame> frame = frame_of(plot_);
    if (!frame)
      return svg + border_svg(area_) +
             fmt::format(
                 R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" fill="#666">no points to draw</text>)"
                 "\n",
                 (area_.left + area_.right) / 2, (area_.top + area_.bottom) / 2);
    svg += legend_ + axes_svg(plot_, *frame, area_);
    for (const PlotSeries& series : plot_.series)
      if (series.line) svg += line(*frame, series);
    for (const PlotSeries& series : plot_.series)
      if (series.marks) svg += marks(*frame, series);
    return svg;
  }

 private:
  // Places entries next to each other above the plot, in as many lines as they need.
  void place_legend() {
    const double first = x_ + 72;
    double x = first;
    for (const PlotSeries* series : legend_of(plot_)) {
      const double width = 26 + svg_text_width(series->name, 12) + 8;
      if (legend_lines_ == 0 || x + width > x_ + panel_width) {
        ++legend_lines_;
        x = first;
      }
      const double y = y_ + 18 + legend_line_height * legend_lines_;
      if (series->line) legend_ += stroke(fmt::format("M{:.1f},{:.1f}h20", x, y - 4), *series, "");
      if (series->marks) legend_ += mark(x + 10, y - 4, *series, "");
      legend_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)"
                             "\n",
                             x + 26, y, xml_escaped(series->name));
      x += width;
    }
  }

  static std::string stroke(const std::string& path, const PlotSeries& series, const std::string& title) {
    return fmt::format(
        R"(<path d="{}" fill="none" stroke="{}" stroke-width="1.8" stroke-linejoin="round">{}</path>)"
        "\n",
        path, xml_escaped(series.colour), title);
  }

  std::string line(const PlotFrame& frame, const PlotSeries& series) const {
    std::string path;
    for (const auto& run : runs_of(plot_, series)) {
      std::string last;
      for (const auto& [x, y] : run) {
        std::string point = fmt::format("{:.1f},{:.1f}", area_.pixel_x(frame, x), area_.pixel_y(frame, y));
        if (point == last) continue;
        path += (last.empty() ? 'M' : 'L') + point;
        last = std::move(point);
      }
    }
    return path.empty() ? "" : stroke(path, series, "<title>" + xml_escaped(series.name) + "</title>");
  }

  // The transparent disk enlarges the target for the mouse.
  static std::string mark(double x, double y, const PlotSeries& series, const std::string& title) {
    const std::string colour = xml_escaped(series.colour);
    const std::string shape = [&] {
      switch (series.mark) {
        case 'x':
          return fmt::format("<path d=\"M-4,-4L4,4M-4,4L4,-4\" stroke=\"{}\" stroke-width=\"2\"/>", colour);
        case '+': return fmt::format("<path d=\"M-5,0H5M0,-5V5\" stroke=\"{}\" stroke-width=\"2\"/>", colour);
        case 'o':
          return fmt::format("<circle r=\"4\" fill=\"white\" stroke=\"{}\" stroke-width=\"2\"/>", colour);
        case '*':
          return fmt::format(
              "<path d=\"M0,-8L1.9,-2.6L7.6,-2.5L3,1L4.7,6.5L0,3.2L-4.7,6.5L-3,1L-7.6,-2.5L-1.9,-2.6Z\" "
              "fill=\"{}\"/>",
              colour);
        default: return fmt::format("<circle r=\"3.5\" fill=\"{}\"/>", colour);
      }
    }();
    return fmt::format(
        R"-(<g transform="translate({:.1f},{:.1f})">{}<circle r="8" fill="white" fill-opacity="0"/>{}</g>)-"
        "\n",
        x, y, title, shape);
  }

  std::string marks(const PlotFrame& frame, const PlotSeries& series) const {
    std::string svg;
    for (const auto& run : runs_of(plot_, series))
      for (const auto& [x, y] : run) {
        const std::string title = fmt::format("<title>{}: {} {}, {} {}</title>", xml_escaped(series.name),
                                              support::format_number(x), xml_escaped(plot_.x_label),
                                              support::format_number(y), xml_escaped(plot_.y_label));
        svg += mark(area_.pixel_x(frame, x), area_.pixel_y(frame, y), series, title);
      }
    return svg;
  }

  const Plot& plot_;
  double x_, y_;
  int legend_lines_ = 0;
  std::string legend_;
  PlotArea area_;
};

}  // namespace

std::string plot_svg(const std::vector<Plot>& plots, const std::string& title) {
  const std::size_t columns = plots.size() == 1 ? 1 : 2;
  const std::size_t rows = (plots.size() + columns - 1) / columns;
  std::string svg = svg_head(panel_width * static_cast<double>(columns),
                             heading_height + panel_height * static_cast<double>(rows), title);
  svg += fmt::format(R"(<text x="16" y="28" font-size="18" font-weight="bold">{}</text>)"
                     "\n",
                     xml_escaped(title));
  for (std::size_t k = 0; k < plots.size(); ++k) {
    const std::size_t row = k / columns, column = k % columns;
    svg += Panel(plots[k], panel_width * static_cast<double>(column),
                 heading_height + panel_height * static_cast<double>(row))
               .to_svg();
  }
  return svg + "</svg>\n";
}

}  // namespace plimsoll::drawing
