#include <fmt/format.h>

#include <algorithm>
#include <span>

#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/drawing/timeline.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "drawing/box_grid.hpp"

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

constexpr double area_left = 88, area_top = 60, area_width = 680, area_height = 380;
constexpr double line_height = 17;
constexpr double smallest_distance = 6;  // minimum distance of borders
constexpr double smallest_side = 2;  // minimum side of a box that users can see, and point at with the mouse

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)"
                     "\n",
                     x, y, anchor, xml_escaped(text));
}

/// Draws one timeline.
class TimelinePicture {
 public:
  explicit TimelinePicture(const Timeline& timeline)
      : timeline_(timeline),
        borders_(borders_to_show(timeline, smallest_distance * timeline.width / area_width)) {}

  std::string to_svg() {
    std::string drawn = ground();
    for (const TimelineBox& each : timeline_.boxes) drawn += box(each);
    drawn += borders() + axes() + legend();
    return svg_head(area_left + area_width + 32, legend_y_, timeline_.title) +
           fmt::format(R"(<text x="16" y="28" font-size="18" font-weight="bold">{}</text>)"
                       "\n",
                       xml_escaped(timeline_.title)) +
           drawn + "</svg>\n";
  }

 private:
  double pixel_x(double column) const { return area_left + area_width * (column / timeline_.width); }
  double pixel_y(double time) const { return area_top + area_height * (time / timeline_.time); }

  // Draws the hatched background: the area outside the boxes is idle time.
  static std::string ground() {
    return fmt::format(
        R"-(<defs><pattern id="idle" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">)-"
        R"-(<rect width="7" height="7" fill="#fafafa"/><path d="M0,0V7" stroke="#ccc" stroke-width="2"/></pattern></defs>)-"
        "\n"
        R"-(<rect x="{}" y="{}" width="{}" height="{}" fill="url(#idle)" stroke="#444"><title>idle</title></rect>)-"
        "\n",
        area_left, area_top, area_width, area_height);
  }

  std::string borders() const {
    std::string svg;
    for (const double x : borders_.at)
      svg += fmt::format(R"(<path d="M{:.2f},{}V{}" stroke="#222" stroke-dasharray="2 4"/>)"
                         "\n",
                         pixel_x(x), area_top, area_top + area_height + 4);
    return svg;
  }

  std::string box(const TimelineBox& box) {
    const std::string colour = xml_escaped(box.colour);
    const double left = pixel_x(box.left), top = pixel_y(box.top);
    const double width = std::max(pixel_x(box.right) - left, smallest_side);
    const double height = std::max(pixel_y(box.bottom) - top, smallest_side);
    std::string svg =
        fmt::format(R"(<g><title>{}, {} {} to {}, from {} to {} {}</title>)"
                    R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}" stroke="#444"/>)"
                    "\n",
                    xml_escaped(box.description), xml_escaped(timeline_.x_label),
                    support::format_number(box.left), support::format_number(box.right - 1),
                    support::format_number(box.top), support::format_number(box.bottom),
                    xml_escaped(timeline_.time_unit), left, top, width, height, colour);
    std::string text = caption(box.captions, left, top, width, height);
    if (text.empty() && !box.captions.empty())
      text = turned(caption({&box.captions.back(), 1}, -top - height, left, height, width));
    if (!text.empty()) return svg + text + "</g>\n";
    legend_entries_.emplace_back(colour, box.description);
    const std::vector<std::string> name = {box.name};
    text = caption({&name, 1}, left, top, width, height);
    if (text.empty()) text = turned(caption({&name, 1}, -top - height, left, height, width));
    return svg + text + "</g>\n";
  }

  // Rotates text so that it runs from bottom to top, for boxes that are high and narrow.
  static std::string turned(const std::string& text) {
    return text.empty() ? "" : "<g transform=\"rotate(-90)\">\n" + text + "</g>\n";
  }

  // Draws the first caption that fits, in the middle of a box; nothing if none fits.
  static std::string caption(std::span<const std::vector<std::string>> choices, double left, double top,
                             double width, double height) {
    const auto fits = [&](const std::vector<std::string>& lines) {
      return line_height * static_cast<double>(lines.size()) + 2 <= height &&
             std::ranges::all_of(
                 lines, [&](const std::string& line) { return svg_text_width(line, 13) + 8 <= width; });
    };
    const auto choice = std::ranges::find_if(choices, fits);
    if (choice == choices.end()) return {};
    std::string svg;
    double y = top + (height - line_height * static_cast<double>(choice->size())) / 2 + 13;
    for (const std::string& line : *choice) {
      svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" font-size="13"{}>{}</text>)"
                         "\n",
                         left + width / 2, y, &line == choice->data() ? R"( font-weight="bold")" : "",
                         xml_escaped(line));
      y += line_height;
    }
    return svg;
  }

  std::string axes() const {
    std::string svg = fmt::format(
        R"-(<text transform="translate(22,{:.1f}) rotate(-90)" text-anchor="middle">time ({})</text>)-"
        "\n",
        area_top + area_height / 2, xml_escaped(timeline_.time_unit));
    svg += text_at(area_left + area_width / 2, area_top + area_height + 38, "middle", timeline_.x_label);

    // Labels that would touch an existing one are skipped; labels of the ends come first.
    std::vector<double> times = {0, timeline_.time}, counts = {0, timeline_.width};
    for (const TimelineBox& box : timeline_.boxes) {
      times.push_back(box.bottom);
      counts.insert(counts.end(), {box.left, box.right});
    }
    std::vector<std::pair<double, double>> taken;
    const auto is_free = [&](double begin, double end) {
      const bool free = std::ranges::none_of(
          taken, [&](const auto& other) { return begin < other.second && other.first < end; });
      if (free) taken.emplace_back(begin, end);
      return free;
    };
    for (const double time : times) {
      const double y = pixel_y(time);
      if (is_free(y - 7, y + 7)) svg += text_at(area_left - 7, y + 4, "end", support::format_number(time));
    }
    taken.clear();
    for (const double count : counts) {
      const std::string label = support::format_number(count);
      const double half = svg_text_width(label, 12) / 2 + 4;
      if (is_free(pixel_x(count) - half, pixel_x(count) + half))
        svg += text_at(pixel_x(count), area_top + area_height + 18, "middle", label);
    }
    return svg;
  }

  std::string legend() {
    std::string svg;
    for (const auto& [colour, text] : legend_entries_) {
      svg += fmt::format(R"(<rect x="{}" y="{:.1f}" width="12" height="12" fill="{}" stroke="#444"/>)",
                         area_left, legend_y_ - 10, colour);
      svg += text_at(area_left + 20, legend_y_, "start", text);
      legend_y_ += line_height + 2;
    }
    std::vector<std::string> lines = timeline_.remarks;
    if (!borders_.at.empty()) lines.push_back("dotted: " + borders_.text);
    if (timeline_.idle >= 0.0005)
      lines.push_back("hatched: idle, " + support::format_percentage(timeline_.idle));
    for (const std::string& line : lines) {
      svg += text_at(area_left, legend_y_, "start", line);
      legend_y_ += line_height + 2;
    }
    return svg;
  }

  const Timeline& timeline_;
  TimelineBorders borders_;
  std::vector<std::pair<std::string, std::string>> legend_entries_;
  double legend_y_ = area_top + area_height + 64;
};

}  // namespace

std::string timeline_svg(const Timeline& timeline) {
  if (!timeline.boxes.empty()) return TimelinePicture(timeline).to_svg();
  return svg_head(480, 60, timeline.title) + text_at(16, 34, "start", timeline.empty_text) + "</svg>\n";
}

}  // namespace plimsoll::drawing
