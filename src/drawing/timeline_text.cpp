#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/drawing/timeline.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "drawing/box_grid.hpp"
#include "drawing/text_canvas.hpp"

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

using support::display_width;

/// Draws one timeline.
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

}  // namespace plimsoll::drawing
