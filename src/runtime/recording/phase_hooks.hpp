#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/changing_loads.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// First error on this rank since the last phase end. It is kept until the next phase end, where all ranks
/// throw together. If one rank threw earlier, the other ranks would wait for that rank. All threads may note
/// errors.
class FirstError {
 public:
  void note(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }
  /// Runs `work` and keeps its exception if it is the first.
  template <class Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (...) {
      note(support::current_error());
    }
  }

  const std::optional<Error>& error() const { return error_; }
  std::optional<Error> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(error_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
};

/// What the ranks share about a phase in order to decide whether to balance.
struct BalancingEvidence {
  balance::LoadEvidence loads;
  balance::LoadEvidence device_loads;
  balance::ChangeEvidence changes;
  bool is_disturbed = false;       ///< whether another process shares a rank's processor
  bool any_loads_changed = false;  ///< many_loads_changed() of any rank
  bool all_loads_changed = true;   ///< many_loads_changed() of all ranks that know
  bool must_evacuate = false;      ///< whether objects must leave a rank
  bool has_requests = false;       ///< whether the program has requested migrations

  /// Adds the evidence of other ranks.
  void merge(const BalancingEvidence& other) {
    balance::merge_evidence(loads, other.loads);
    balance::merge_evidence(device_loads, other.device_loads);
    balance::merge_changes(changes, other.changes);
    is_disturbed = is_disturbed || other.is_disturbed;
    any_loads_changed = any_loads_changed || other.any_loads_changed;
    all_loads_changed = all_loads_changed && other.all_loads_changed;
    must_evacuate = must_evacuate || other.must_evacuate;
    has_requests = has_requests || other.has_requests;
  }
};

/// Data of one completed phase.
struct EndedPhase {
  const lbdata::PhaseRecord& record;  ///< tasks and messages of this rank; NodeLBData contains their entities
  const PhaseSummary& summary;        ///< statistics over all ranks, and the times of this rank
};

/// Calls the program's hooks in the order of registration. If one throws, the others are still called.
class PhaseHooks {
 public:
  using EndHook = std::function<void(const PhaseSummary&)>;
  using StartHook = std::function<void(std::int64_t phase)>;

  explicit PhaseHooks(FirstError& errors) : errors_(errors) {}

  void at_end(EndHook hook) { end_hooks_.push_back(std::move(hook)); }
  void at_start(StartHook hook) { start_hooks_.push_back(std::move(hook)); }

  void phase_ended(const EndedPhase& phase) { call(end_hooks_, phase.summary); }
  /// Returns whether there are hooks, which may read the phase in NodeLBData.
  bool needs_values() const { return !end_hooks_.empty(); }
  void phase_started(std::int64_t phase) { call(start_hooks_, phase); }

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
