#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plimsoll::drawing {

/// What occupies some processors for some time.
struct TimelineBox {
  std::string name;
  std::string description;  ///< everything about it, on one line: for legends and tooltips
  /// Forms of the description that may stand in the box, line by line, the most readable first.
  std::vector<std::vector<std::string>> captions;
  double left = 0, right = 0;  ///< processors from `left` up to, but not including, `right`
  double top = 0, bottom = 0;  ///< begin and end in time

  bool operator==(const TimelineBox&) const = default;
};

/// Boxes over processors (left to right) and time (top to bottom). What no box covers is idle.
struct Timeline {
  std::string title;
  std::string time_unit;
  std::vector<TimelineBox> boxes;  ///< within 0 to `processors` and 0 to `time`
  double processors = 0;
  double time = 0;
  double idle = 0;                   ///< share of processors x time that no box covers
  std::vector<std::string> remarks;  ///< lines below the drawing
};

/// How to draw a timeline in a terminal.
struct TimelineOptions {
  std::size_t width = 72;   ///< columns in all, 32 to 400
  std::size_t height = 16;  ///< lines between the axes, 6 to 100; more if short boxes need them
  bool ascii = false;       ///< '|', '_' instead of box-drawing characters
};

/// Lines of text, each ended by a newline, without blanks at their ends. A box that is too small for its name
/// gets a letter, explained below.
std::string timeline_text(const Timeline& timeline, const TimelineOptions& options = {});

/// A self-contained SVG picture, with the description of each box as its tooltip.
std::string timeline_svg(const Timeline& timeline);

}  // namespace plimsoll::drawing
