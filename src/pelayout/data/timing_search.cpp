#include <plimsoll/pelayout/timing_search.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

TimingFiles find_timing_files(const TimingSearch&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
