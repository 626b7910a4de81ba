// Tests the parts of a rank's time: work on objects, background load and idle time.
#include <algorithm>

#include "runtime/recorder/timed_work.hpp"

namespace plimsoll::testing {
namespace {

TEST_F(WorkRecording, ReportsNoBackgroundLoadOnIdleRank) {
  if (count == 1) GTEST_SKIP() << "needs two ranks or more";
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  double minimum_share = 1;
  for (int phase = 0; phase < 5; ++phase) {
    if (rank != 0) work(recorder, object, 0.05);
    const PhaseSummary summary = recorder.next_phase();
    expect_adds_up(summary.times);
    EXPECT_GE(summary.duration_s, 0.05);
    minimum_share = std::min(minimum_share, summary.times.background_s / summary.times.total_s);
  }
  // One phase is enough, because the system may suspend the rank in other phases.
  EXPECT_LT(minimum_share, 0.01);
  recorder.close();
}

TEST_F(WorkRecording, CountsMarkedWaitsAsIdleTime) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  double waited = 0;
  double worked = 0;
  {
    auto its_work = recorder.work_on(object);
    worked += spin(0.004);
    {
      auto wait = recorder.wait();
      waited += spin(0.01);
    }
    recorder.begin_idle();
    waited += spin(0.01);
    recorder.end_idle();
  }
  const double background = spin(0.006);
  const PhaseSummary summary = recorder.next_phase();
  expect_adds_up(summary.times);
  EXPECT_GE(summary.times.idle_s, 0.98 * waited);
  EXPECT_GE(summary.times.background_s, 0.98 * background);
  EXPECT_GE(summary.times.objects_s, 0.98 * worked);
  recorder.close();
}

TEST_F(WorkRecording, ExcludesTimeOutsidePhases) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  constexpr double outside_s = 0.05;
  // The clock of the recorder may differ from that of the test while other processes use the processors.
  constexpr double excluded_s = 0.8 * outside_s;
  recorder.on_phase_end([](const PhaseSummary&) { spin(outside_s); });
  for (int phase = 0; phase < 3; ++phase) {
    const double begin = now_s();
    const Bounds bounds = work(recorder, object, 0.002);
    const double end_of_work = now_s();
    const PhaseSummary summary = recorder.next_phase();
    const double end = now_s();
    expect_adds_up(summary.times);
    EXPECT_GE(summary.times.total_s, 0.98 * bounds.minimum_s);
    EXPECT_LE(summary.times.total_s - summary.times.idle_s,
              1.02 * (end_of_work - begin) + (end - end_of_work - excluded_s));
    EXPECT_LE(summary.times.total_s, 1.02 * (end - begin) - excluded_s);
  }
  recorder.close();
}

TEST_F(WorkRecording, SubtractsAddedTimeFromBackgroundLoad) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  const double spun = spin(0.01);
  recorder.add_time(object, spun);
  const PhaseSummary summary = recorder.next_phase();
  expect_adds_up(summary.times);
  EXPECT_NEAR(summary.times.objects_s, spun, 1e-9);
  recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
