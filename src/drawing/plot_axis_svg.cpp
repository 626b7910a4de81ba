#include "drawing/plot_axis_svg.hpp"

#include <fmt/format.h>

#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

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

}  // namespace

std::string border_svg(const PlotArea& area) {
  return fmt::format(
      R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="none" stroke="#888"/>)"
      "\n",
      area.left, area.top, area.right - area.left, area.bottom - area.top);
}

std::string axes_svg(const Plot& plot, const PlotFrame& frame, const PlotArea& area) {
  return x_grid(frame, area) + y_grid(frame, area) + border_svg(area) + labels(plot, area);
}

}  // namespace plimsoll::drawing
