#pragma once

#include <span>

#include "runtime/recording/balancing_evidence.hpp"
#include "runtime/recording/phase_observer.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
