#pragma once

#include "runtime/recording/phase_observer.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::inline v0_1::runtime {

/// Prints a line for each phase on rank 0, unless the settings say lb_quiet.
class SummaryLine final : public PhaseObserver {
 public:
  explicit SummaryLine(const Session& session) : session_(session) {}

  /// Throws what the program's message sink throws.
  void phase_ended(const EndedPhase& phase) override;

 private:
  const Session& session_;
};

}  // namespace plimsoll::runtime
