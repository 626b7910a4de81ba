#pragma once

#include <pthread.h>

namespace plimsoll::inline v0_1::support {

/// While one lives, its thread is not cancelled (pthread_cancel()): code that must come to its end, such as
/// all that is noexcept, may then call functions that are cancellation points.
class NoCancellation {
 public:
  NoCancellation() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;
  ~NoCancellation() { ::pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace plimsoll::support
