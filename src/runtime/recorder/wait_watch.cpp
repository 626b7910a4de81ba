#include <utility>

#include <plimsoll/runtime/wait_watch.hpp>

#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::inline v0_1::runtime {

void WaitWatch::begin(std::int64_t number) {
  recorder_.parts_->phase_end.watchdog().begin(number);
  is_waiting_ = true;
}

void WaitWatch::look() {
  if (!is_waiting_) return;
  recorder_.parts_->phase_end.watchdog().look(
      {.phase = recorder_.phase(), .call = CollectiveCall::run_until_quiet, .rank = recorder_.rank()});
}

void WaitWatch::end() {
  if (std::exchange(is_waiting_, false)) recorder_.parts_->phase_end.watchdog().finish();
}

}  // namespace plimsoll::runtime
