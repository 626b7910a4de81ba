#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/drawing/timeline.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "drawing/text_canvas.hpp"

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

using support::display_width;

/// Maps coordinates to lines of a grid of characters. The scale is proportional, but keeps one or more
/// characters between the ends of each box if the number of cells suffices.
class GridScale {
 public:
  using Span = std::pair<double, double>;

  /// Creates a scale for boxes that begin and end at `spans`, all within 0 to `full`. With `may_grow`, cells
  /// are added if the boxes need them.
  GridScale(const std::vector<Span>& spans, double full, std::size_t cells, bool may_grow)
      : cells_(static_cast<long>(cells)) {
    position_of_ = {{0, 0}, {full, 0}};
    for (const auto& [begin, end] : spans) {
      position_of_[begin] = position_of_[end] = 0;
      begins_of_[end].push_back(begin);
      ends_of_[begin].push_back(end);
    }
    long minimum = 2;
    place_from_begin(0, full, minimum);
    if (may_grow) cells_ = std::max(cells_, last());
    while (last() > cells_) place_from_begin(0, full, --minimum);
    place_from_begin(cells_, full, minimum);
    place_from_end(minimum);
  }

  std::size_t cells() const { return static_cast<std::size_t>(cells_); }
  /// Returns the line at a coordinate, which must be 0, `full`, or an end of a span.
  std::size_t at(double coordinate) const {
    const auto found = position_of_.find(coordinate);
    PLIMSOLL_EXPECT(found != position_of_.end());
    return static_cast<std::size_t>(found->second);
  }
  /// Returns the line nearest to any coordinate from 0 to `full`.
  std::size_t nearest(double coordinate) const {
    const auto above = position_of_.lower_bound(coordinate);
    if (above == position_of_.begin() || above->first == coordinate)
      return static_cast<std::size_t>(above->second);
    const auto below = std::prev(above);
    const double share = (coordinate - below->first) / (above->first - below->first);
    return static_cast<std::size_t>(below->second +
                                    std::lround(share * static_cast<double>(above->second - below->second)));
  }

 private:
  long last() const { return position_of_.rbegin()->second; }

  void place_from_begin(long cells, double full, long minimum) {
    long before = 0;
    for (auto& [coordinate, position] : position_of_) {
      position = std::max(before, std::lround(coordinate / full * static_cast<double>(cells)));
      for (const double begin : begins_of_[coordinate])
        position = std::max(position, position_of_.at(begin) + minimum);
      before = position;
    }
  }
  void place_from_end(long minimum) {
    long after = cells_;
    position_of_.rbegin()->second = cells_;
    for (auto entry = position_of_.rbegin(); entry != position_of_.rend(); ++entry) {
      entry->second = std::min(entry->second, after);
      for (const double end : ends_of_[entry->first])
        entry->second = std::min(entry->second, position_of_.at(end) - minimum);
      after = entry->second;
    }
  }

  long cells_;
  std::map<double, long> position_of_;
  std::map<double, std::vector<double>> begins_of_, ends_of_;  // begins by end of box, and ends by begin
};

/// A box on a grid: the columns and rows of its lines.
struct GridBox {
  std::size_t left, right, top, bottom;

  std::size_t columns() const { return right - left > 1 ? right - left - 1 : 0; }
  std::size_t rows() const { return bottom - top > 1 ? bottom - top - 1 : 0; }
};

/// The lines of boxes, joined where they meet, and the background between them.
class LineGrid {
 public:
  LineGrid(std::size_t columns, std::size_t rows)
      : columns_(columns), arms_(columns * rows), covered_(columns * rows) {}

  void add_frame(const GridBox& box) {
    for (std::size_t column = box.left; column < box.right; ++column)
      for (const std::size_t row : {box.top, box.bottom}) {
        arms(row, column) |= right;
        arms(row, column + 1) |= left;
      }
    for (std::size_t row = box.top; row < box.bottom; ++row)
      for (const std::size_t column : {box.left, box.right}) {
        arms(row, column) |= down;
        arms(row + 1, column) |= up;
      }
  }
  /// Adds the frame of a box, and removes the background inside it.
  void add(const GridBox& box) {
    add_frame(box);
    for (std::size_t row = box.top; row <= box.bottom; ++row)
      for (std::size_t column = box.left; column <= box.right; ++column)
        covered_[row * columns_ + column] = true;
  }
  /// Adds a tick below the last row.
  void add_tick(std::size_t column) { arms(arms_.size() / columns_ - 1, column) |= down; }

  std::string cell(std::size_t row, std::size_t column, bool ascii) const {
    static constexpr std::array joints = {" ", "╵", "╷", "│", "╴", "┘", "┐", "┤",
                                          "╶", "└", "┌", "├", "─", "┴", "┬", "┼"};
    const unsigned found = arms_[row * columns_ + column];
    if (found == 0) return covered_[row * columns_ + column] ? " " : ascii ? "." : "░";
    if (!ascii) return joints[found];
    const bool is_tick = (found & down) != 0 && row + 1 == arms_.size() / columns_;
    return (found & up) != 0 || is_tick ? "|" : (found & (left | right)) == (left | right) ? "_" : " ";
  }

 private:
  static constexpr unsigned up = 1, down = 2, left = 4, right = 8;  // directions of the lines in a cell

  unsigned& arms(std::size_t row, std::size_t column) { return arms_[row * columns_ + column]; }

  std::size_t columns_;
  std::vector<unsigned> arms_;
  std::vector<bool> covered_;
};

/// The borders of a timeline that a drawing shows: all of them, or one in 2, 4, 8, ...
struct TimelineBorders {
  std::vector<double> at;  ///< positions between 0 and the timeline's width
  std::string text;        ///< explanation for the legend: "node borders", "node borders (1 in 4)"
};

/// Selects borders that are at least `distance` apart. Empty if the timeline has none.
TimelineBorders borders_to_show(const Timeline& timeline, double distance) {
  TimelineBorders borders;
  if (!(timeline.border_step > 0 && timeline.border_step < timeline.width)) return borders;
  double interval = 1;
  while (interval * timeline.border_step < distance) interval *= 2;
  const double step = interval * timeline.border_step;
  for (double number = 1; number * step < timeline.width; ++number) borders.at.push_back(number * step);
  if (borders.at.empty()) return borders;
  borders.text = timeline.border_name + 's';
  if (interval > 1) borders.text += fmt::format(" (1 in {:.0f})", interval);
  return borders;
}

class TimelineText {
 public:
  TimelineText(const Timeline& timeline, const TimelineOptions& options)
      : timeline_(timeline),
        options_(options),
        margin_(time_label_width() + 1),
        columns_(spans(&TimelineBox::left, &TimelineBox::right), timeline.width, options.width - margin_ - 1,
                 false),
        times_(spans(&TimelineBox::top, &TimelineBox::bottom), timeline.time, options.height, true),
        borders_(borders_to_show(timeline,
                                 smallest_distance * timeline.width / static_cast<double>(columns_.cells()))),
        canvas_(options.width, times_.cells() + 3) {}

  std::string to_string() {
    draw_boxes();
    for (const TimelineBox& box : timeline_.boxes) write_caption(box);
    draw_axes();
    std::string text = line("time (" + timeline_.time_unit + ")") + canvas_.to_string();
    for (const std::string& entry : legend_) text += line(entry);
    for (const std::string& remark : timeline_.remarks) text += line(remark);
    if (!borders_.at.empty()) text += line((options_.ascii ? "|   " : "┬   ") + borders_.text);
    if (timeline_.idle >= 0.0005)
      text += line(fmt::format("{} idle: {}", options_.ascii ? "..." : "░░░",
                               support::format_percentage(timeline_.idle)));
    return text;
  }

 private:
  static constexpr double smallest_distance = 3;  // minimum number of columns between borders

  std::string line(const std::string& text) const { return text_line(text, options_.width, options_.ascii); }

  std::vector<GridScale::Span> spans(double TimelineBox::*begin, double TimelineBox::*end) const {
    std::vector<GridScale::Span> result;
    for (const TimelineBox& box : timeline_.boxes) result.emplace_back(box.*begin, box.*end);
    return result;
  }

  std::size_t time_label_width() const {
    std::size_t width = display_width(support::format_number(timeline_.time));
    for (const TimelineBox& box : timeline_.boxes)
      width = std::max(width, display_width(support::format_number(box.bottom)));
    return width;
  }

  GridBox on_grid(const TimelineBox& box) const {
    return {columns_.at(box.left), columns_.at(box.right), times_.at(box.top), times_.at(box.bottom)};
  }

  void draw_boxes() {
    LineGrid grid(columns_.cells() + 1, times_.cells() + 1);
    grid.add_frame({0, columns_.cells(), 0, times_.cells()});
    for (const TimelineBox& box : timeline_.boxes) grid.add(on_grid(box));
    for (const double border : borders_.at) grid.add_tick(columns_.nearest(border));
    for (std::size_t row = 0; row <= times_.cells(); ++row)
      for (std::size_t column = 0; column <= columns_.cells(); ++column)
        canvas_.write(row, margin_ + column, grid.cell(row, column, options_.ascii));
  }

  // Splits a name into letters for boxes that are high and narrow.
  static std::vector<std::string> top_down(const std::string& name) {
    std::vector<std::string> letters;
    for (const char letter : name) letters.emplace_back(1, letter);
    return letters;
  }

  // Writes the most complete caption that fits; missing details go into the legend.
  void write_caption(const TimelineBox& timeline_box) {
    const GridBox box = on_grid(timeline_box);
    const auto fits = [&](const std::vector<std::string>& lines) {
      return lines.size() <= box.rows() && std::ranges::all_of(lines, [&](const std::string& line) {
               return display_width(line) <= box.columns();
             });
    };
    auto choices = timeline_box.captions;
    const std::size_t n_whole = choices.size();
    choices.push_back({timeline_box.name});
    choices.push_back(top_down(timeline_box.name));
    const auto choice = std::ranges::find_if(choices, fits);
    const std::string& whole = timeline_box.description;
    std::vector<std::string> lines;
    if (choice != choices.end()) lines = *choice;
    if (lines.empty()) {
      lines = {std::string(1, static_cast<char>(n_letters_ < 26 ? 'a' + n_letters_ : '*'))};
      ++n_letters_;
      legend_.push_back(box.rows() > 0 && box.columns() > 0 ? lines[0] + " = " + whole : whole);
      if (!fits(lines)) return;
    } else if (choice >= choices.begin() + static_cast<std::ptrdiff_t>(n_whole)) {
      legend_.push_back(whole);
    }
    const std::size_t first = box.top + 1 + (box.rows() - lines.size()) / 2;
    for (std::size_t k = 0; k < lines.size(); ++k)
      canvas_.write(first + k, margin_ + box.left + 1 + (box.columns() - display_width(lines[k])) / 2,
                    lines[k]);
  }

  void draw_axes() {
    std::map<double, std::size_t> times = {{0, 0}, {timeline_.time, times_.cells()}};
    for (const TimelineBox& box : timeline_.boxes) times[box.bottom] = times_.at(box.bottom);
    std::map<std::size_t, double> label_of_row;
    for (const auto& [time, row] : times) label_of_row[row] = time;
    for (const auto& [row, time] : label_of_row) {
      const std::string label = support::format_number(time);
      canvas_.write(row, margin_ - 1 - display_width(label), label);
    }

    const std::size_t below = times_.cells() + 1;
    const auto write_column = [&](double count) {
      canvas_.write_where_free(below, margin_ + columns_.at(count), support::format_number(count));
    };
    write_column(0);
    write_column(timeline_.width);
    for (const TimelineBox& box : timeline_.boxes) {
      write_column(box.left);
      write_column(box.right);
    }
    canvas_.write_where_free(below + 1, margin_ + columns_.cells() / 2, timeline_.x_label);
  }

  const Timeline& timeline_;
  TimelineOptions options_;
  std::size_t margin_;
  GridScale columns_, times_;
  TimelineBorders borders_;
  TextCanvas canvas_;
  int n_letters_ = 0;
  std::vector<std::string> legend_;
};

constexpr double area_left = 88, area_top = 60, area_width = 680, area_height = 380;
constexpr double line_height = 17;
constexpr double smallest_distance = 6;  // minimum distance of borders
constexpr double smallest_side = 2;  // minimum side of a box that users can see, and point at with the mouse

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)"
                     "\n",
                     x, y, anchor, xml_escaped(text));
}

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

std::string timeline_text(const Timeline& timeline, const TimelineOptions& wanted) {
  TimelineOptions options = wanted;
  options.width = std::clamp<std::size_t>(wanted.width, 32, 400);
  options.height = std::clamp<std::size_t>(wanted.height, 6, 100);
  if (!timeline.boxes.empty()) return TimelineText(timeline, options).to_string();
  std::string text = text_line("(" + timeline.empty_text + ")", options.width, options.ascii);
  for (const std::string& remark : timeline.remarks) text += text_line(remark, options.width, options.ascii);
  return text;
}

std::string timeline_svg(const Timeline& timeline) {
  if (!timeline.boxes.empty()) return TimelinePicture(timeline).to_svg();
  return svg_head(480, 60, timeline.title) + text_at(16, 34, "start", timeline.empty_text) + "</svg>\n";
}

}  // namespace plimsoll::drawing
