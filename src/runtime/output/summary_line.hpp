#pragma once

#include "runtime/recording/phase_observer.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Prints one line per phase on rank 0, unless the setting lb_quiet is on.
class SummaryLine final : public PhaseObserver {
 public:
  explicit SummaryLine(const Session& session) : session_(session) {}

  /// Prints the phase's line. Passes on exceptions of the program's message sink.
  void phase_ended(const EndedPhase& phase) override;

 private:
  const Session& session_;
};

}  // namespace plimsoll::runtime
