// Feeds bytes to the reader of GPTL statistics. Accepted statistics must contain valid numbers, and
// components that fit on the ranks of the run.

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>

namespace pelayout = plimsoll::pelayout;

namespace {

bool sound(double cost) {
  return std::isfinite(cost) && cost >= 0;
}

void check(const pelayout::TimingFile& run) {
  if (run.components.empty() || !sound(run.run_days) || run.steps.value_or(0) < 1) std::abort();
  if (!sound(run.total_seconds.value()) || !sound(run.total_seconds_per_day.value())) std::abort();
  for (const pelayout::ComponentTiming& timing : run.components) {
    if (timing.tasks < 1 || timing.threads < 1 || timing.stride < 1 || timing.root < 0) std::abort();
    if (timing.root + (timing.tasks - 1) * timing.stride >= run.processors.value()) std::abort();
    if (!sound(timing.seconds) || !sound(timing.seconds_per_day)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::optional<std::int64_t> steps_per_day :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(48)}) {
    try {
      check(pelayout::parse_timing_statistics(text, "input", steps_per_day));
    } catch (const plimsoll::Error&) {
      continue;
    }
    if (!pelayout::is_timing_statistics(text)) std::abort();
  }
  return 0;
}
