// Tests that spins of known length are charged to the right object and subphase.
#include <cstdint>
#include <map>

#include "runtime/recorder/timed_work.hpp"

namespace plimsoll::testing {
namespace {

TEST_F(WorkRecording, MeasuresKnownTimesWithBothClocks) {
  for (const bool system_clock : {false, true}) {
    Settings its = settings(system_clock ? "system" : "counter");
    its.lb_system_clock = system_clock;
    LoadRecorder recorder(MPI_COMM_WORLD, its);
    std::map<std::uint64_t, Bounds> expected;
    Bounds all;
    for (const double seconds : {0.001, 0.005, 0.03}) {
      const ObjectHandle object = recorder.register_object();
      Bounds bounds;
      for (int repeat = 0; repeat < (seconds < 0.03 ? 5 : 1); ++repeat)
        bounds += work(recorder, object, seconds);
      expect_within_2_percent(recorder.get_obj_time(object), bounds);
      expected[static_cast<std::uint64_t>(recorder.id(object))] = bounds;
      all += bounds;
    }
    const PhaseSummary summary = recorder.next_phase();
    for (const auto& [id, bounds] : expected)
      expect_within_2_percent(load_in_phase_s(recorder, ObjectId{id}, 0), bounds);
    expect_within_2_percent(summary.times.objects_s, all);
    expect_adds_up(summary.times);
    recorder.close();

    const lbdata::Dataset dataset = read(system_clock ? "system" : "counter");
    const lbdata::PhaseRecord& phase = *dataset.ranks[static_cast<std::size_t>(rank)].find(0);
    for (const auto& [id, bounds] : expected) {
      const auto task = task_of(dataset, phase, ObjectId{id});
      ASSERT_TRUE(task);
      expect_within_2_percent(phase.tasks.time_s[*task], bounds);
    }
  }
}

TEST_F(WorkRecording, ChargesNestedWorkToInnerObject) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle outer = recorder.register_object();
  const ObjectHandle inner = recorder.register_object();
  const double begin = now_s();
  double outer_s = 0;
  Bounds inner_bounds;
  {
    auto outer_work = recorder.work_on(outer);
    outer_s += spin(0.01);
    inner_bounds += work(recorder, inner, 0.02);
    outer_s += spin(0.01);
    auto again = recorder.work_on(outer);  // same object: time is counted once
    outer_s += spin(0.005);
  }
  const double elapsed = now_s() - begin;
  expect_within_2_percent(recorder.get_obj_time(inner), inner_bounds);
  expect_within_2_percent(recorder.get_obj_time(outer), {outer_s, elapsed - inner_bounds.minimum_s});
  recorder.next_phase();
  recorder.close();
  read();
}

TEST_F(WorkRecording, SplitsPhaseIntoSubphases) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  const ObjectHandle other = recorder.register_object();
  const Bounds outside = work(recorder, object, 0.003);
  recorder.set_subphase(0);
  const Bounds first = work(recorder, object, 0.005);
  recorder.set_subphase(2);
  Bounds third = work(recorder, object, 0.01);
  recorder.add_time(object, 0.5);
  third += {0.5, 0.5};
  recorder.leave_subphase();
  recorder.add_time(other, 0.25);
  const ObjectId id = recorder.id(object);
  const ObjectId other_id = recorder.id(other);
  recorder.next_phase();
  work(recorder, object, 0.001);  // subphases end with the phase
  recorder.next_phase();
  recorder.close();

  const lbdata::Dataset dataset = read();
  const lbdata::RankData& mine = dataset.ranks[static_cast<std::size_t>(rank)];
  const lbdata::Tasks& tasks = mine.find(0)->tasks;
  const std::uint32_t task = *task_of(dataset, *mine.find(0), id);
  const std::uint32_t begin = tasks.subphase_begin(task);
  ASSERT_EQ(tasks.subphase_end[task] - begin, 3U);
  EXPECT_EQ(tasks.subphase_id[begin + 2], 2);
  expect_within_2_percent(tasks.subphase_time_s[begin], first);
  EXPECT_EQ(tasks.subphase_time_s[begin + 1], 0);
  expect_within_2_percent(tasks.subphase_time_s[begin + 2], third);
  Bounds all = outside;
  all += first;
  all += third;
  expect_within_2_percent(tasks.time_s[task], all);
  const std::uint32_t without = *task_of(dataset, *mine.find(0), other_id);
  EXPECT_EQ(tasks.subphase_begin(without), tasks.subphase_end[without]);
  EXPECT_EQ(tasks.time_s[without], 0.25);
  EXPECT_TRUE(mine.find(1)->tasks.subphase_id.empty());
}

TEST_F(WorkRecording, SumsTimesAddedByProgram) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  recorder.add_time(object, 3.5);
  recorder.add_time(object, 0.5);
  EXPECT_EQ(recorder.get_obj_time(object), 4.0);
  const Bounds measured = work(recorder, object, 0.002);
  EXPECT_GE(recorder.get_obj_time(object), 4.0 + 0.98 * measured.minimum_s);
  recorder.set_obj_time(object, 2.0);
  EXPECT_EQ(recorder.get_obj_time(object), 2.0);
  const Bounds after = work(recorder, object, 0.003);
  Bounds expected = after;
  expected += {2.0, 2.0};
  recorder.set_subphase(1);
  recorder.add_time(object, 1.0);
  expected += {1.0, 1.0};
  const ObjectId id = recorder.id(object);
  const PhaseSummary summary = recorder.next_phase();
  expect_adds_up(summary.times);
  EXPECT_GE(summary.times.objects_s, 0.98 * (measured.minimum_s + after.minimum_s))
      << "the replaced time is still time in objects";
  expect_within_2_percent(load_in_phase_s(recorder, id, 0), expected);
  EXPECT_EQ(recorder.get_obj_time(object), 0) << "the load of the new phase is 0";
  recorder.close();
  read();
}

TEST_F(WorkRecording, CallsModelsForLoadsOfUnmeasuredObjects) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle modelled = recorder.register_object({.measured = false});
  const ObjectHandle silent = recorder.register_object({.measured = false});
  const ObjectHandle measured = recorder.register_object();
  int asked = 0;
  recorder.user_set_lb_load([&](ObjectHandle object) {
    ++asked;
    EXPECT_TRUE(object == modelled || object == silent);
    return object == modelled ? 12.5 : 0.0;
  });
  work(recorder, modelled, 0.002);
  work(recorder, measured, 0.002);
  const ObjectId ids[] = {recorder.id(modelled), recorder.id(silent), recorder.id(measured)};
  for (int phase = 0; phase < 2; ++phase) {
    const PhaseSummary summary = recorder.next_phase();
    expect_adds_up(summary.times);
    EXPECT_EQ(asked, 2 * (phase + 1));
    EXPECT_EQ(load_in_phase_s(recorder, ids[0], phase), 12.5);
    EXPECT_EQ(load_in_phase_s(recorder, ids[1], phase), 0);
    EXPECT_LT(load_in_phase_s(recorder, ids[2], phase), 12.5);
  }
  recorder.close();
  read();
}

TEST_F(WorkRecording, MeasuresNothingWithoutInstrumentation) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  const ObjectHandle other = recorder.register_object();
  const double begin = now_s();
  double on_s = 0;
  double off_s = 0;
  {
    auto outer = recorder.work_on(other);
    auto inner = recorder.work_on(object);
    on_s += spin(0.002);
    recorder.instrument(false);
    EXPECT_FALSE(recorder.instruments());
    off_s += spin(0.02);
    recorder.add_time(object, 100);
    recorder.set_obj_time(object, 100);
    recorder.record_message(recorder.id(object), recorder.id(other), 8);
    recorder.set_subphase(3);
    recorder.begin(object);
    recorder.end(object);
    recorder.instrument(true);
    on_s += spin(0.003);  // charged to no object: all open work has ended
  }
  const ObjectId id = recorder.id(object);
  PhaseSummary summary = recorder.next_phase();  // end() without begin() is not an error here
  const double elapsed = now_s() - begin;
  expect_adds_up(summary.times);
  EXPECT_LE(summary.times.total_s, 1.02 * (elapsed - off_s));
  EXPECT_GE(summary.times.total_s, 0.98 * on_s);
  EXPECT_LT(load_in_phase_s(recorder, id, 0), 1);
  EXPECT_FALSE(recorder.node_lb_data().phase(0)->communications);

  recorder.instrument(false);
  summary = recorder.next_phase();
  spin(0.005);
  summary = recorder.next_phase();
  EXPECT_EQ(summary.times.total_s, 0);
  recorder.instrument(true);
  const Bounds again = work(recorder, object, 0.004);
  recorder.next_phase();
  expect_within_2_percent(load_in_phase_s(recorder, id, 3), again);
  recorder.close();
  EXPECT_EQ(read().ranks[static_cast<std::size_t>(rank)].phases.size(), 4U);
}

}  // namespace
}  // namespace plimsoll::testing
