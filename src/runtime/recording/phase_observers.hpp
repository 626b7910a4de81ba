#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/benefit_rule.hpp>
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
  bool is_disturbed = false;       ///< whether another process shares a rank's processor
  bool any_loads_changed = false;  ///< many_loads_changed() of any rank
  bool all_loads_changed = true;   ///< many_loads_changed() of all ranks that know
  bool must_evacuate = false;      ///< whether objects must leave a rank
  bool has_requests = false;       ///< whether the program has requested migrations

  /// Adds the evidence of other ranks.
  void merge(const BalancingEvidence& other) {
    balance::merge_evidence(loads, other.loads);
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

/// Observer of phases: writes files, prints a summary, calls the program's hooks, or balances. All ranks have
/// the same observers and call them in the same order. When they are called, no rank is still working in the
/// phase, so an observer may communicate. Its run time belongs to no phase.
///
/// If an observer throws, the observers after it are still called, and the next call of next_phase() or
/// close() throws the error on all ranks. An observer that communicates must therefore throw on all ranks or
/// on none (see mpi::agreed()); otherwise ranks would wait for messages that never arrive.
class PhaseObserver {
 public:
  PhaseObserver() = default;
  PhaseObserver(const PhaseObserver&) = delete;
  PhaseObserver& operator=(const PhaseObserver&) = delete;
  virtual ~PhaseObserver() = default;

  virtual void phase_ended(const EndedPhase& phase) = 0;
  /// Returns whether the record must contain the values of its tasks, whose conversion takes time.
  virtual bool needs_values() const;
  /// Called at the start of each phase. From this call on, the observer's work is measured as part of the
  /// phase.
  virtual void phase_started(std::int64_t phase);
  /// Called when the recorder is closed.
  virtual void close();

  /// Returns whether an event on this rank requires an action of all ranks. The ranks share the answers at
  /// their next synchronisation: the next phase end, or close().
  virtual bool needs_all_ranks() const;
  /// Collective: performs the action. Called on all ranks if the observer of any rank requires it.
  virtual void act_on_all_ranks();
};

inline void PhaseObserver::phase_started(std::int64_t) {}
inline void PhaseObserver::close() {}
inline bool PhaseObserver::needs_values() const {
  return false;
}
inline bool PhaseObserver::needs_all_ranks() const {
  return false;
}
inline void PhaseObserver::act_on_all_ranks() {}

/// The observers of a recorder's phases, in the order in which they are called.
class PhaseObservers {
 public:
  /// Stores a reference to `errors`, which receives the errors of the observers and must outlive this object.
  explicit PhaseObservers(FirstError& errors) : errors_(errors) {}

  /// Adds an observer, which must outlive this object. At most 32 observers can be added.
  void add(PhaseObserver& observer);

  /// Calls each observer, also after one that has thrown.
  template <class Call>
  void notify(const Call& call) {
    is_calling_ = true;
    for (PhaseObserver* observer : observers_) errors_.guard([&] { call(*observer); });
    is_calling_ = false;
  }
  /// Returns whether notify() is calling an observer.
  bool is_calling() const { return is_calling_; }

  /// Returns whether any observer needs the values of tasks.
  bool need_values() const;
  /// Returns the observers that require an action of all ranks: bit k stands for observer k.
  std::uint32_t in_need() const;
  /// Collective: lets the observers act that in_need() has returned on any rank.
  void act_on_all_ranks(std::uint32_t in_need);

 private:
  FirstError& errors_;
  std::vector<PhaseObserver*> observers_;
  bool is_calling_ = false;
};

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

/// Balances the load at phase ends, before the observers are called.
class PhaseBalancer {
 public:
  PhaseBalancer() = default;
  PhaseBalancer(const PhaseBalancer&) = delete;
  PhaseBalancer& operator=(const PhaseBalancer&) = delete;
  virtual ~PhaseBalancer() = default;

  /// Measures the phase that ends on this rank, before the ranks wait for each other. Returns this rank's
  /// part of the evidence for balance(). `loads_s` are the loads, in seconds, that the load model predicts
  /// for the tasks of the phase.
  virtual BalancingEvidence measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                                    std::span<const double> loads_s) = 0;
  /// Collective: migrates objects, or does nothing. Called on all ranks, or on none if a rank had an error in
  /// the phase. `evidence` is merged over all ranks. Must throw on all ranks or on none.
  virtual BalancingSummary balance(const EndedPhase& phase, const BalancingEvidence& evidence) = 0;
  /// Called when the measurement of the next phase begins.
  virtual void phase_begins() = 0;
};

}  // namespace plimsoll::runtime
