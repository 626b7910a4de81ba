#include "pelayout/timing/found_run.hpp"

#include <algorithm>
#include <cmath>

#include "pelayout/timing/timing_formats.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns whether statistics have the times of a profile, which have three decimal digits.
bool have_equal_times(const TimingFile& statistics, const TimingFile& profile) {
  constexpr double rounding_s = 0.0011;
  return !statistics.components.empty() &&
         std::ranges::all_of(statistics.components, [&](const ComponentTiming& timing) {
           const ComponentTiming* const same = profile.find(timing.component);
           return same != nullptr && same->tasks == timing.tasks &&
                  std::abs(same->seconds - timing.seconds) <= rounding_s;
         });
}

}  // namespace

std::string_view FoundRun::time() const {
  return run_time_in(file.log_id.empty() ? file.path : file.log_id);
}

bool are_of_one_run(const FoundRun& statistics, const FoundRun& other) {
  const std::int64_t driver = statistics.file.driver_instance;
  if (driver != 0 && driver != other.file.driver_instance) return false;
  const bool have_times = !statistics.time().empty() && !other.time().empty();
  if (have_times && statistics.time() != other.time()) return false;
  if (other.file.is_from_statistics)
    return !statistics.file.components.empty() && statistics.file.components == other.file.components;
  return (have_times && statistics.folder == other.folder) || have_equal_times(statistics.file, other.file);
}

}  // namespace plimsoll::pelayout
