#pragma once

#include <cstdint>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

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

}  // namespace plimsoll::runtime
