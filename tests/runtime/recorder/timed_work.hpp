// Spins of known length, to which tests compare the times of a recorder.
#pragma once

#include "runtime/recorder/recorder_test.hpp"
#include "runtime/recording/spin.hpp"

namespace plimsoll::testing {

class WorkRecording : public RecorderRun {};

/// Bounds on a measured time: readings of the system clock inside and around the recorder's readings. If a
/// rank is suspended between them, e.g. with more ranks than cores, the bounds widen.
struct Bounds {
  double minimum_s = 0;
  double maximum_s = 0;
  Bounds& operator+=(const Bounds& other) {
    minimum_s += other.minimum_s;
    maximum_s += other.maximum_s;
    return *this;
  }
};

inline void expect_within_2_percent(double measured_s, const Bounds& bounds) {
  EXPECT_GE(measured_s, 0.98 * bounds.minimum_s);
  EXPECT_LE(measured_s, 1.02 * bounds.maximum_s);
}

/// Reads the system clock.
inline double now_s() {
  return 1e-9 * static_cast<double>(runtime::Clock::system_nanoseconds());
}

/// Spins for a time in which the recorder measures the object. Returns the bounds on the measured time.
inline Bounds work(LoadRecorder& recorder, ObjectHandle object, double seconds) {
  const double begin = now_s();
  recorder.begin(object);
  const double spun = spin(seconds);
  recorder.end(object);
  return {spun, now_s() - begin};
}

inline void expect_adds_up(const runtime::RankTimes& times) {
  EXPECT_GE(times.objects_s, 0);
  EXPECT_GE(times.background_s, 0);
  EXPECT_GE(times.idle_s, 0);
  EXPECT_NEAR(times.total_s, times.objects_s + times.background_s + times.idle_s, 1e-9 * times.total_s);
}

}  // namespace plimsoll::testing
