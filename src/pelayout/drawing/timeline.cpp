#include <plimsoll/pelayout/timeline.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

std::string draw_timeline(const Solution&, const TimelineOptions&) {
  throw support::usage_error("unfinished");
}
std::string timeline_svg(const Solution&, const std::string&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
