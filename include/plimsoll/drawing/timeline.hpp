#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// A named rectangle of a timeline that covers part of its width for some time.
struct TimelineBox {
  std::string name;         ///< short name for the box
  std::string description;  ///< full description on one line: for legends and tooltips
  /// Texts to write into the box, each as a list of lines; the first text that fits is used.
  std::vector<std::vector<std::string>> captions;
  double left = 0, right = 0;  ///< position across the width: from `left` up to, but not including, `right`
  double top = 0, bottom = 0;  ///< begin and end of the time
  std::string colour = "#aec7e8";  ///< any CSS colour, light enough for black text; used in SVG only

  bool operator==(const TimelineBox&) const = default;
};

/// Boxes over units of any kind (left to right) and time (top to bottom). Units are idle outside all boxes.
struct Timeline {
  std::string title;
  std::string x_label;             ///< units of the width in the plural, such as "processors"
  std::string time_unit;           ///< unit of time, such as "s"
  std::vector<TimelineBox> boxes;  ///< boxes within 0 to `width` and 0 to `time`
  double width = 0;                ///< number of units
  double time = 0;
  double idle = 0;                   ///< fraction of width x time outside all boxes, 0 to 1
  double border_step = 0;            ///< distance between borders across the width; 0 for no borders
  std::string border_name;           ///< name of a border, such as "node border"
  std::string empty_text;            ///< text to show if the timeline has no boxes
  std::vector<std::string> remarks;  ///< lines below the drawing
};

/// Options for drawing a timeline in a terminal.
struct TimelineOptions {
  std::size_t width = 72;   ///< total number of columns, 32 to 400
  std::size_t height = 16;  ///< lines between the axes, 6 to 100; more if short boxes need them
  bool ascii = false;       ///< whether to use '|' and '_' instead of box-drawing characters
};

/// Draws a timeline as lines of text, each ending in a newline, without trailing spaces. A box that is too
/// small for its name gets a letter, which the legend explains.
std::string timeline_text(const Timeline& timeline, const TimelineOptions& options = {});

/// Draws a self-contained SVG picture, with the description of each box as its tooltip.
std::string timeline_svg(const Timeline& timeline);

}  // namespace plimsoll::drawing
