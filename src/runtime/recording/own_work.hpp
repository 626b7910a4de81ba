#pragma once

#include <utility>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Marks the time of Plimsoll's own work, as long as it exists: MPI calls do not count as idle time of the
/// program (setting lb_auto_idle).
class OwnWork {
 public:
  explicit OwnWork(Recording& recording)
      : recording_(recording), outer_(std::exchange(recording.in_own_work, true)) {}
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;
  ~OwnWork() { recording_.in_own_work = outer_; }

 private:
  Recording& recording_;
  bool outer_;
};

}  // namespace plimsoll::runtime
