// Tests the parts of a rank's time: work on objects, background load and idle time; and CPU time as an
// additional value, and as the load.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "runtime/recorder/timed_work.hpp"

namespace plimsoll::testing {
namespace {

TEST_F(WorkRecording, ReportsNoBackgroundLoadOnIdleRank) {
  if (count == 1) GTEST_SKIP() << "needs two ranks or more";
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  double minimum_share = 1;
  for (int phase = 0; phase < 5; ++phase) {
    if (rank == count - 1) work(recorder, object, 0.05);
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
  constexpr std::chrono::milliseconds outside{50};
  // The clock of the recorder may differ from that of the test while other processes use the processors.
  constexpr double excluded_s = 0.04;
  recorder.on_phase_end([&](const PhaseSummary&) { std::this_thread::sleep_for(outside); });
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

namespace {

TEST_F(WorkRecording, MeasuresCpuTimeOnRequest) {
  Settings its = settings();
  its.lb_cpu_time = true;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  const std::int64_t begin = runtime::Clock::cpu_nanoseconds();
  recorder.begin(object);
  const std::int64_t inner_begin = runtime::Clock::cpu_nanoseconds();
  spin(0.02);
  const std::int64_t inner_end = runtime::Clock::cpu_nanoseconds();
  recorder.end(object);
  const std::int64_t end = runtime::Clock::cpu_nanoseconds();
  const PhaseSummary summary = recorder.next_phase();
  EXPECT_GE(summary.times.cpu_objects_s, 0.98e-9 * static_cast<double>(inner_end - inner_begin));
  EXPECT_LE(summary.times.cpu_objects_s, 1.02e-9 * static_cast<double>(end - begin));
  EXPECT_GE(summary.times.cpu_total_s, summary.times.cpu_objects_s);
  const ObjectId id = recorder.id(object);
  recorder.close();
  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& phase = *dataset.ranks[static_cast<std::size_t>(rank)].find(0);
  const std::string attributes(phase.tasks.attributes.at(*task_of(dataset, phase, id)));
  const std::string key = "\"cpu_time\":";
  const std::size_t place = attributes.find(key);
  ASSERT_NE(place, std::string::npos) << attributes;
  EXPECT_NEAR(std::stod(attributes.substr(place + key.size())), summary.times.cpu_objects_s, 1e-9);
}

// On a shared machine, other processes extend the wall-clock time of work, as sleeping does here.
TEST_F(WorkRecording, UsesCpuTimeAsLoadOnRequest) {
  Settings its = settings();
  its.lb_loads = runtime::LoadTime::cpu;
  its.lb_load_model = "LinearModel(length=1)";
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  recorder.begin(object);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  recorder.set_subphase(1);
  spin(0.002);
  recorder.leave_subphase();
  const double load_s = recorder.get_obj_time(object);
  recorder.end(object);
  EXPECT_GT(load_s, 0);
  EXPECT_LT(load_s, 0.02);
  const PhaseSummary summary = recorder.next_phase();
  EXPECT_GE(summary.times.objects_s, 0.032) << "the times of the rank remain wall-clock times";
  EXPECT_LT(summary.object_load_s.maximum(), 0.02);
  EXPECT_LT(summary.object_load_modeled_s.maximum(), 0.02);
  const ObjectId id = recorder.id(object);
  recorder.close();
  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& phase = *dataset.ranks[static_cast<std::size_t>(rank)].find(0);
  const std::uint32_t task = *task_of(dataset, phase, id);
  EXPECT_GE(phase.tasks.time_s[task], load_s);
  EXPECT_EQ(phase.tasks.subphase_end[task] - phase.tasks.subphase_begin(task), 2U);
  EXPECT_NE(phase.tasks.attributes.at(task).find("\"wall_time\":"), std::string::npos);
  EXPECT_EQ(phase.tasks.attributes.at(task).find("\"cpu_time\""), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::testing
