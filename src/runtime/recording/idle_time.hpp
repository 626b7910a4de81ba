#pragma once

#include <plimsoll/runtime/work_meter.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Idle time of this rank, as long as this object exists.
class IdleTime {
 public:
  explicit IdleTime(WorkMeter& meter) : meter_(meter) { meter_.begin(WorkMeter::idle); }
  IdleTime(const IdleTime&) = delete;
  IdleTime& operator=(const IdleTime&) = delete;
  ~IdleTime() { meter_.end(WorkMeter::idle); }

 private:
  WorkMeter& meter_;
};

}  // namespace plimsoll::runtime
