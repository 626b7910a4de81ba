#pragma once

#include "runtime/manager/rank_monitor.hpp"
#include "runtime/recording/own_work.hpp"
#include "runtime/recording/phase_end.hpp"
#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Marks a collective call between phase ends, as long as it exists: its time belongs to no phase.
class OutsideOfPhases {
 public:
  /// Waits for all ranks, like PhaseEnd::enter().
  OutsideOfPhases(Recording& recording, RankMonitor& monitor, PhaseEnd& phase_end, CollectiveCall call)
      : pause_(recording, monitor), own_work_(recording) {
    phase_end.enter(call);
  }

 private:
  class Pause {
   public:
    Pause(Recording& recording, RankMonitor& monitor) : recording_(recording), monitor_(monitor) {
      if (recording.meter.is_on()) recording.meter.update();
      monitor.pause();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() {
      monitor_.resume();
      recording_.meter.start();
    }

   private:
    Recording& recording_;
    RankMonitor& monitor_;
  };

  Pause pause_;
  OwnWork own_work_;
};

}  // namespace plimsoll::runtime
