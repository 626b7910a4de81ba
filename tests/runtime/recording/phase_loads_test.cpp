#include "runtime/recording/phase_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/recording/measured_rank.hpp"
#include "runtime/recording/spin.hpp"
#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using plimsoll::testing::MeasuredRank;
using plimsoll::testing::spin;

void work(MeasuredRank& its, ObjectHandle object) {
  its.meter.begin(object);
  spin(0.0005);
  its.meter.end(object);
}

TEST(PhaseLoads, AddsTimeToCurrentSubphase) {
  MeasuredRank its;
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1);
  const ObjectHandle other = its.enter(2);
  loads.add(object.slot, 0.5);
  its.meter.timer().set_column(3);
  loads.add(object.slot, 0.25);
  loads.add(object.slot, 0.125);
  EXPECT_EQ(loads.column_count(), 4U);
  EXPECT_EQ(loads.seconds(0, object.slot), 0.5);
  EXPECT_EQ(loads.seconds(2, object.slot), 0);
  EXPECT_EQ(loads.seconds(3, object.slot), 0.375);
  EXPECT_EQ(loads.seconds(object.slot), 0.875);
  EXPECT_EQ(loads.seconds(other.slot), 0);
}

TEST(PhaseLoads, SumsMeasuredAndAddedTime) {
  MeasuredRank its;
  const ObjectHandle object = its.enter(1);
  work(its, object);
  its.recording.loads.add(object.slot, 2);
  EXPECT_GE(its.measured_s(object), 0.0005);
  EXPECT_DOUBLE_EQ(its.recording.loads.seconds(object.slot), 2 + its.measured_s(object));
}

TEST(PhaseLoads, ReplacesMeasuredAndAddedTime) {
  MeasuredRank its;
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1);
  work(its, object);
  const double replaced_s = its.measured_s(object);
  its.meter.timer().set_column(1);
  loads.add(object.slot, 5);
  loads.replace(object.slot, 0.75);
  EXPECT_EQ(loads.seconds(object.slot), 0.75);
  EXPECT_EQ(loads.seconds(0, object.slot), 0.75) << "the new load is outside of any subphase";

  work(its, object);
  EXPECT_DOUBLE_EQ(loads.seconds(object.slot), 0.75 + its.measured_s(object));
  EXPECT_GE(loads.rank_times().total_s, replaced_s + its.measured_s(object))
      << "the replaced time remains part of the rank's time";
}

TEST(PhaseLoads, ExcludesMeasuredTimeFromLoadModelledByProgram) {
  MeasuredRank its;
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1, MeasuredRank::rank, false);
  work(its, object);
  EXPECT_EQ(loads.seconds(object.slot), 0);
  loads.replace_added(object.slot, 0.5);
  loads.replace_added(object.slot, 0.25);
  EXPECT_EQ(loads.seconds(object.slot), 0.25);
  EXPECT_DOUBLE_EQ(loads.rank_times().objects_s, its.measured_s(object));
}

TEST(PhaseLoads, SplitsRankTimeIntoObjectLoadBackgroundLoadAndIdleTime) {
  MeasuredRank its;
  const ObjectHandle object = its.enter(1);
  const ObjectHandle other = its.enter(2);
  work(its, object);
  spin(0.0005);
  its.meter.timer().set_column(2);
  work(its, other);
  work(its, WorkMeter::idle);
  its.meter.timer().update();
  const RankTimes times = its.recording.loads.rank_times();
  EXPECT_DOUBLE_EQ(times.objects_s, its.measured_s(object) + its.measured_s(other));
  EXPECT_DOUBLE_EQ(times.background_s, its.measured_s({.slot = ObjectSlots::background}));
  EXPECT_DOUBLE_EQ(times.idle_s, its.measured_s(WorkMeter::idle));
  EXPECT_GE(times.background_s, 0.0005);
  EXPECT_GE(times.idle_s, 0.0005);
  EXPECT_DOUBLE_EQ(times.total_s, times.objects_s + times.background_s + times.idle_s);
  EXPECT_EQ(times.cpu_total_s, 0);
}

TEST(PhaseLoads, SubtractsAddedTimeFromBackgroundLoad) {
  MeasuredRank its;
  const ObjectHandle object = its.enter(1);
  spin(0.002);
  its.meter.timer().update();
  const RankTimes before = its.recording.loads.rank_times();
  its.recording.loads.add(object.slot, 0.0005);
  const RankTimes after = its.recording.loads.rank_times();
  EXPECT_DOUBLE_EQ(after.background_s, before.background_s - 0.0005);
  EXPECT_DOUBLE_EQ(after.objects_s, 0.0005);
  EXPECT_DOUBLE_EQ(after.total_s, before.total_s);

  its.recording.loads.add(object.slot, 1000);
  const RankTimes more_than_there_was = its.recording.loads.rank_times();
  EXPECT_EQ(more_than_there_was.background_s, 0);
  EXPECT_DOUBLE_EQ(more_than_there_was.total_s, before.total_s);
}

// Works on an object on another thread, and returns the measured time.
double work_on_thread(MeasuredRank& its, ObjectHandle object, double seconds) {
  std::thread([&] {
    its.meter.begin(object);
    spin(seconds);
    its.meter.end(object);
  }).join();
  const auto threads = its.meter.threads().all();
  return its.meter.timer().clock().seconds(threads.back()->timer.ticks(0, object.slot));
}

TEST(PhaseLoads, AddsTimesOfThreadsToLoadsAndExplainsBackground) {
  MeasuredRank its;
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1);
  const ObjectHandle modelled = its.enter(2, MeasuredRank::rank, false);
  const double first_s = work_on_thread(its, object, 0.002);
  const double second_s = work_on_thread(its, object, 0.004);
  const double third_s = work_on_thread(its, modelled, 0.001);
  // On a busy machine, this is not always the second.
  const double longest_s = std::max({first_s, second_s, third_s});
  its.meter.end_all();
  const RankTimes before = loads.rank_times();
  EXPECT_EQ(before.objects_s, 0) << "the recorder's own thread only waited";
  loads.take_from_threads();
  loads.take_from_threads(object.slot);  // nothing is left
  EXPECT_DOUBLE_EQ(loads.seconds(object.slot), first_s + second_s);
  EXPECT_EQ(loads.seconds(modelled.slot), 0);
  const RankTimes after = loads.rank_times();
  EXPECT_DOUBLE_EQ(after.objects_s, longest_s);
  EXPECT_DOUBLE_EQ(after.background_s, before.background_s - longest_s);
  EXPECT_DOUBLE_EQ(after.total_s, before.total_s);
}

TEST(PhaseLoads, SeparatesCpuAndWallTimesOfThreads) {
  MeasuredRank its(true, LoadTime::cpu);
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1);
  const double wall_s = work_on_thread(its, object, 0.002);
  const double cpu_s = its.meter.threads().all().back()->cpu->seconds(0, object.slot);
  loads.take_from_threads();
  EXPECT_DOUBLE_EQ(loads.wall_s(object.slot), wall_s);
  EXPECT_GT(cpu_s, 0);
  EXPECT_DOUBLE_EQ(loads.seconds(object.slot), cpu_s);
  EXPECT_DOUBLE_EQ(its.meter.cpu()->seconds(0, object.slot), cpu_s);
  loads.replace(object.slot, 3);
  EXPECT_EQ(loads.seconds(object.slot), 3);
  EXPECT_DOUBLE_EQ(loads.wall_s(object.slot), wall_s);
  EXPECT_PRED_FORMAT2(::testing::DoubleLE, cpu_s, loads.rank_times().cpu_objects_s)
      << "the replaced time remains part of the rank's time";
}

TEST(PhaseLoads, ExplainsNoBackgroundByThreadsThatWorkAtTheSameTime) {
  MeasuredRank its;
  const ObjectHandle object = its.enter(1);
  const ObjectHandle other = its.enter(2);
  its.meter.begin(object);
  work_on_thread(its, other, 0.002);
  its.meter.end(object);
  its.meter.begin(WorkMeter::idle);
  work_on_thread(its, other, 0.002);
  its.meter.end(WorkMeter::idle);
  spin(0.001);
  its.meter.end_all();
  const RankTimes before = its.recording.loads.rank_times();
  its.recording.loads.take_from_threads();
  EXPECT_DOUBLE_EQ(its.recording.loads.rank_times().background_s, before.background_s);
}

TEST(PhaseLoads, CountsCpuTimeOfObjectsSeparately) {
  MeasuredRank its(true);
  const ObjectHandle object = its.enter(1);
  work(its, object);
  spin(0.0005);
  its.meter.end_all();
  const RankTimes times = its.recording.loads.rank_times();
  EXPECT_GT(times.cpu_objects_s, 0);
  EXPECT_GT(times.cpu_total_s, times.cpu_objects_s);
}

// CPU time between begin() and end(), as in time(1): a sleeping thread uses almost none.
TEST(PhaseLoads, CanBeCpuTimeBySubphase) {
  MeasuredRank its(true, LoadTime::cpu);
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1);
  const ObjectHandle sleeper = its.enter(2);
  its.meter.begin(sleeper);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  its.meter.begin(object);
  spin(0.001);
  its.meter.set_column(2);
  spin(0.001);
  its.meter.end(object);
  its.meter.end(sleeper);
  loads.add(object.slot, 3);
  EXPECT_EQ(loads.column_count(), 3U);
  EXPECT_GE(loads.wall_s(sleeper.slot), 0.02);
  EXPECT_LT(loads.seconds(sleeper.slot), 0.01);
  EXPECT_GE(loads.wall_s(object.slot), 0.002);
  EXPECT_GT(loads.seconds(0, object.slot), 0);
  EXPECT_EQ(loads.seconds(1, object.slot), 0);
  EXPECT_GT(loads.seconds(2, object.slot), 3);
  EXPECT_DOUBLE_EQ(loads.seconds(object.slot), loads.seconds(0, object.slot) + loads.seconds(2, object.slot));
  const RankTimes times = loads.rank_times();
  EXPECT_GE(times.total_s, 0.022);
  EXPECT_NEAR(times.cpu_objects_s, loads.seconds(object.slot) + loads.seconds(sleeper.slot) - 3, 1e-8);
}

TEST(PhaseLoads, ReplacesCpuTime) {
  MeasuredRank its(true, LoadTime::cpu);
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1);
  its.meter.set_column(1);
  work(its, object);
  const double wall_s = loads.wall_s(object.slot);
  its.meter.update();
  const double cpu_s = loads.rank_times().cpu_total_s;
  loads.replace(object.slot, 0.75);
  EXPECT_EQ(loads.seconds(object.slot), 0.75);
  EXPECT_EQ(loads.wall_s(object.slot), wall_s) << "the attribute keeps the measured time";
  EXPECT_GE(loads.rank_times().cpu_total_s, cpu_s) << "the replaced time remains part of the rank's time";
  its.meter.end_all();
  its.meter.clear();
  loads.clear();
  EXPECT_EQ(loads.seconds(object.slot), 0);
  EXPECT_EQ(loads.rank_times().cpu_total_s, 0);
}

TEST(PhaseLoads, DiscardsAddedTimeWhenCleared) {
  MeasuredRank its;
  PhaseLoads& loads = its.recording.loads;
  const ObjectHandle object = its.enter(1);
  work(its, object);
  loads.add(object.slot, 1);
  loads.replace(object.slot, 3);
  its.meter.clear();
  loads.clear();
  EXPECT_EQ(loads.seconds(object.slot), 0);
  EXPECT_EQ(loads.rank_times().objects_s, 0);
}

}  // namespace
}  // namespace plimsoll::runtime
