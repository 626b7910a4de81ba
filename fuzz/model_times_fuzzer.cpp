// Feeds bytes to the readers of OASIS load balancing information and of FMS clocks. Accepted texts must
// contain valid times, on ranks that the run has.

#include <cmath>
#include <cstdlib>
#include <string_view>

#include <plimsoll/pelayout/timing_file.hpp>

namespace pelayout = plimsoll::pelayout;

namespace {

bool sound(double seconds) {
  return std::isfinite(seconds) && seconds >= 0;
}

void check(const pelayout::TimingFile& run) {
  if (run.components.empty()) std::abort();
  for (const pelayout::ComponentTiming& timing : run.components) {
    if (!sound(timing.seconds) || !sound(timing.seconds_per_day)) std::abort();
    if (timing.tasks < 1 || timing.root < 0) std::abort();
    if (run.processors && timing.root + timing.tasks > *run.processors) std::abort();
    if (!timing.work) continue;
    if (!sound(timing.work->work_seconds) || !sound(timing.work->waiting_seconds)) std::abort();
    if (!(timing.work->imbalance >= 1)) std::abort();
  }
}

template <class Parse>
void feed(Parse parse) {
  try {
    check(parse());
  } catch (const plimsoll::Error& error) {
    if (error.kind() != plimsoll::ErrorKind::bad_input) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(pelayout::is_oasis_balance(text));
  static_cast<void>(pelayout::is_fms_clocks(text));
  const pelayout::RunFacts facts = {.steps_per_day = 48,
                                    .tasks = {{"", "FESOM", 4}, {"", "OPENIFS", 8}, {"", "OIFS", 8}}};
  feed([&] { return pelayout::parse_oasis_balance(text, "input", facts); });
  feed([&] { return pelayout::parse_fms_clocks(text, "input", facts); });
  return 0;
}
