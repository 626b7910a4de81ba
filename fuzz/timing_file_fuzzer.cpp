// Feeds bytes to the reader of timing profiles. Accepted profiles must contain valid numbers. If they are
// gathered into a problem and written as JSON, reading that must return the same samples.

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>

namespace pelayout = plimsoll::pelayout;

namespace {

bool sound(double cost) {
  return std::isfinite(cost) && cost >= 0;
}

void check(const pelayout::TimingFile& file) {
  if (file.components.empty() || !sound(file.run_days) || file.run_days == 0) std::abort();
  for (const pelayout::ComponentTiming& timing : file.components)
    if (timing.tasks < 1 || timing.threads < 1 || !sound(timing.seconds) || !sound(timing.seconds_per_day))
      std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  pelayout::TimingFile file;
  try {
    file = pelayout::parse_timing_file(text, "input");
  } catch (const plimsoll::Error&) {
    return 0;
  }
  if (!pelayout::is_timing_profile(text)) std::abort();
  check(file);
  for (const auto unit : {pelayout::CostUnit::seconds_per_day, pelayout::CostUnit::total_seconds}) {
    std::vector<plimsoll::Diagnostic> warnings;
    const std::vector<pelayout::TimingFile> files{file, file};
    const pelayout::Problem problem = pelayout::gather_timings(files, {.unit = unit}, warnings);
    const pelayout::Problem again = pelayout::parse_problem(pelayout::to_json(problem), "again");
    if (again.components != problem.components || again.unit != unit) std::abort();
  }
  return 0;
}
