#pragma once

#include <cstdint>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

namespace plimsoll::runtime {

/// A phase that is over.
struct EndedPhase {
  const lbdata::PhaseRecord& record;  ///< this rank's tasks and messages; its entities are in NodeLBData
  const PhaseSummary& summary;        ///< of all ranks, with the times of this one
};

/// Something that is done at the end of each phase: writing files, telling the user, calling the program's
/// hooks, balancing. All ranks have the same observers and call them in the same order, and no rank is still
/// working in the phase, so an observer may communicate; what it takes is time of no phase.
///
/// What an observer throws is thrown by the next next_phase() or close(), on all ranks; the observers after
/// it are called nevertheless. So one that communicates must throw on all ranks or on none (mpi::agreed), or
/// its next message meets another.
class PhaseObserver {
 public:
  PhaseObserver() = default;
  PhaseObserver(const PhaseObserver&) = delete;
  PhaseObserver& operator=(const PhaseObserver&) = delete;
  virtual ~PhaseObserver() = default;

  virtual void phase_ended(const EndedPhase& phase) = 0;
  /// The next phase, of this number, has begun: what the observer does is recorded.
  virtual void phase_started(std::int64_t phase);
  /// The recorder is closed.
  virtual void close();
};

inline void PhaseObserver::phase_started(std::int64_t) {}
inline void PhaseObserver::close() {}

}  // namespace plimsoll::runtime
