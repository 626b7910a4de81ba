#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "runtime/recording/first_error.hpp"
#include "runtime/recording/phase_observer.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Calls the program's hooks in the order of registration. If one throws, the others are still called.
class PhaseHooks final : public PhaseObserver {
 public:
  using EndHook = std::function<void(const PhaseSummary&)>;
  using StartHook = std::function<void(std::int64_t phase)>;

  explicit PhaseHooks(FirstError& errors) : errors_(errors) {}

  void at_end(EndHook hook) { end_hooks_.push_back(std::move(hook)); }
  void at_start(StartHook hook) { start_hooks_.push_back(std::move(hook)); }

  void phase_ended(const EndedPhase& phase) override { call(end_hooks_, phase.summary); }
  /// Returns whether there are hooks, which may read the phase in NodeLBData.
  bool needs_values() const override { return !end_hooks_.empty(); }
  void phase_started(std::int64_t phase) override { call(start_hooks_, phase); }

 private:
  template <class Hooks, class Argument>
  void call(const Hooks& hooks, const Argument& argument) {
    // A hook may add hooks. New hooks are not called this time. Existing hooks stay in place, because a deque
    // does not move its elements.
    const std::size_t count = hooks.size();
    for (std::size_t k = 0; k < count; ++k) errors_.guard([&] { hooks[k](argument); });
  }

  FirstError& errors_;
  std::deque<EndHook> end_hooks_;
  std::deque<StartHook> start_hooks_;
};

}  // namespace plimsoll::runtime
