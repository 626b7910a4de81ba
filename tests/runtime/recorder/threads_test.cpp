// Tests that other threads can measure work and record messages, and that their mistakes, and calls that only
// the owner may make, are reported.

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/recorder/recorder_with_threads.hpp"
#include "runtime/recording/spin.hpp"

namespace plimsoll::testing {
namespace {

TEST_F(RecorderWithThreads, SumsTimesOfAllThreadsInLoad) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle shared = recorder.register_object();
  std::vector<ObjectHandle> own;
  for (int k = 0; k < threads; ++k) own.push_back(recorder.register_object());
  for (int phase = 0; phase < 2; ++phase) {
    std::vector<double> spun(threads);
    in_threads([&](int k) {
      recorder.begin(own[k]);
      {
        auto inner = recorder.work_on(shared);
        spun[k] = spin(0.002);
        auto idle = recorder.wait();
        spin(0.001);
      }
      spin(0.001 * k);
      recorder.end(own[k]);
    });
    double all_s = 0;
    for (const double s : spun) all_s += s;
    EXPECT_GE(recorder.get_obj_time(shared), 0.98 * all_s);
    const PhaseSummary summary = recorder.next_phase();
    EXPECT_GE(load_in_phase_s(recorder, recorder.id(shared), phase), 0.98 * all_s);
    EXPECT_GE(load_in_phase_s(recorder, recorder.id(own[3]), phase), 0.98 * 0.003);
    const runtime::RankTimes& times = summary.times;
    EXPECT_NEAR(times.total_s, times.objects_s + times.background_s + times.idle_s, 1e-9 * times.total_s);
    EXPECT_GE(times.objects_s, 0.98 * (spun[3] + 0.003)) << "the work of the longest thread";
    EXPECT_LE(times.objects_s, times.total_s);
    EXPECT_GE(times.background_s, 0);
  }
  recorder.close();
  read();
}

TEST_F(RecorderWithThreads, AddsTimesMessagesAndCpuTimesExactly) {
  Settings its = settings();
  its.lb_cpu_time = true;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  const ObjectHandle unmeasured = recorder.register_object({.measured = false});
  const ObjectId id = recorder.id(object);
  constexpr int calls = 1000;
  for (int phase = 0; phase < 3; ++phase) {
    const auto record = [&] {
      for (int k = 0; k < calls; ++k) {
        recorder.add_time(object, 0.5);
        recorder.record_message(id, recorder.id(unmeasured), 3);
        recorder.record_broadcast(id, Endpoint::node(0), 5, 2);
        auto work = recorder.work_on(unmeasured);
      }
    };
    record();
    in_threads([&](int) { record(); });
    EXPECT_EQ(recorder.get_obj_time(object), 0.5 * calls * (threads + 1));
    EXPECT_EQ(recorder.get_obj_time(object), 0.5 * calls * (threads + 1)) << "reading changes nothing";
    if (phase == 2) recorder.set_obj_time(object, 7);
    const PhaseSummary summary = recorder.next_phase();
    EXPECT_EQ(load_in_phase_s(recorder, id, phase), phase == 2 ? 7 : 0.5 * calls * (threads + 1));
    EXPECT_EQ(load_in_phase_s(recorder, recorder.id(unmeasured), phase), 0);
    EXPECT_GT(summary.times.cpu_objects_s, 0);
    EXPECT_LE(summary.times.cpu_objects_s, summary.times.cpu_total_s);
    const auto& messages = recorder.node_lb_data().phase(phase)->communications;
    ASSERT_TRUE(messages);
    ASSERT_EQ(messages->size(), 2U) << "messages of all threads are on the same edges";
    EXPECT_EQ(messages->bytes,
              (std::vector<double>{3.0 * calls * (threads + 1), 5.0 * calls * (threads + 1)}));
    EXPECT_EQ(messages->messages,
              (std::vector<std::int64_t>{calls * (threads + 1), 2 * calls * (threads + 1)}));
  }
  recorder.close();
  read();
}

TEST_F(RecorderWithThreads, UsesSubphaseOfOwnerAndObjectsAddedLater) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  std::vector<ObjectHandle> objects{recorder.register_object()};
  std::barrier start(threads + 1);
  std::barrier end(threads + 1);
  std::vector<std::thread> running;
  constexpr int rounds = 5;
  for (int k = 0; k < threads; ++k) {
    running.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        start.arrive_and_wait();
        recorder.add_time(objects[100 * static_cast<std::size_t>(round)], 1);
        { auto work = recorder.work_on(objects[100 * static_cast<std::size_t>(round)]); }
        end.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < rounds; ++round) {
    recorder.set_subphase(round);
    start.arrive_and_wait();
    end.arrive_and_wait();
    for (int k = 0; k < 100; ++k) objects.push_back(recorder.register_object());
  }
  for (std::thread& thread : running) thread.join();
  recorder.next_phase();
  const lbdata::PhaseRecord& record = *recorder.node_lb_data().phase(0);
  std::vector<double> by_subphase(rounds);
  for (std::size_t k = 0; k < record.tasks.subphase_id.size(); ++k)
    by_subphase[static_cast<std::size_t>(record.tasks.subphase_id[k])] += record.tasks.subphase_time_s[k];
  for (const double time_s : by_subphase) EXPECT_NEAR(time_s, threads, 0.5) << "plus the time of the scopes";
  recorder.close();
  read();
}

TEST_F(RecorderWithThreads, RecordsNothingOnThreadsWhileSwitchedOff) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  const auto record = [&](int) {
    auto work = recorder.work_on(object);
    recorder.add_time(object, 1);
    recorder.record_message(recorder.id(object), recorder.id(object), 1);
  };
  recorder.instrument(false);
  in_threads(record);
  recorder.next_phase();
  EXPECT_EQ(load_in_phase_s(recorder, recorder.id(object), 0), 0);
  EXPECT_FALSE(recorder.node_lb_data().phase(0)->communications);
  recorder.instrument(true);
  in_threads(record);
  recorder.next_phase();
  EXPECT_GE(load_in_phase_s(recorder, recorder.id(object), 1), threads);
  recorder.close();
  in_threads(record);
  read();
}

TEST_F(RecorderWithThreads, SeparatesRecordersUsedByTheSameThreads) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    LoadRecorder first(MPI_COMM_WORLD, settings("first" + std::to_string(repeat)));
    LoadRecorder second(MPI_COMM_WORLD, settings("second" + std::to_string(repeat)));
    const ObjectHandle object = first.register_object();
    const ObjectHandle other = second.register_object();
    in_threads([&](int) {
      for (int k = 0; k < 10; ++k) {
        auto outer = first.work_on(object);
        auto inner = second.work_on(other);
        first.add_time(object, 1);
        second.add_time(other, 2);
      }
    });
    first.next_phase();
    second.next_phase();
    EXPECT_NEAR(load_in_phase_s(first, first.id(object), 0), 10 * threads, 1);
    EXPECT_NEAR(load_in_phase_s(second, second.id(other), 0), 20 * threads, 1);
    first.close();
    second.close();
  }
}

}  // namespace

namespace {

TEST_F(RecorderWithThreads, ReportsMistakesOfThreads) {
  expect_error_of_thread(
      "phase 0 ended with 2 begin() calls still open: the rank object on thread 1 (system ID ",
      [](LoadRecorder& recorder) {
        recorder.begin(recorder.rank_object());
        recorder.begin_idle();
      });
  expect_error_of_thread(
      "end() for the rank object in phase 0 does not match the last begin(): no begin() is open",
      [](LoadRecorder& recorder) { recorder.end(recorder.rank_object()); });
  expect_error_of_thread("the last begin() was for idle time", [](LoadRecorder& recorder) {
    recorder.begin_idle();
    recorder.end(recorder.rank_object());
    recorder.end_idle();
  });
  expect_error_of_thread("begin(): object is not (or no longer) registered",
                         [](LoadRecorder& recorder) { recorder.begin({}); });
  expect_error_of_thread("invalid time -1 s for add_time()",
                         [](LoadRecorder& recorder) { recorder.add_time(recorder.rank_object(), -1); });
}

TEST_F(RecorderWithThreads, RejectsCallsThatOnlyTheOwnerMayMake) {
  const auto expect_rejected = [&](const std::string& name, const std::function<void(LoadRecorder&)>& call) {
    expect_error_of_thread(name + "() called on a thread other than the one that started the recorder", call);
  };
  expect_rejected("register_object",
                  [](LoadRecorder& recorder) { EXPECT_FALSE(recorder.register_object()); });
  expect_rejected("register_object", [](LoadRecorder& recorder) {
    EXPECT_FALSE(recorder.register_object(runtime::object_id(0, 5), {}));
  });
  expect_rejected("remove_object",
                  [](LoadRecorder& recorder) { recorder.remove_object(recorder.rank_object()); });
  expect_rejected("set_objects", [](LoadRecorder& recorder) {
    const std::vector ids{runtime::object_id(0, 5)};
    EXPECT_FALSE(recorder.set_objects(ids)[0]);
  });
  expect_rejected("inherit", [](LoadRecorder& recorder) {
    recorder.inherit(recorder.rank_object(), recorder.rank_object());
  });
  expect_rejected("set_position", [](LoadRecorder& recorder) {
    recorder.set_position(recorder.rank_object(), std::vector{1.0, 2.0});
  });
  expect_rejected("set_features", [](LoadRecorder& recorder) {
    recorder.set_features(recorder.rank_object(), std::vector{1.0});
  });
  expect_rejected("set_pack", [](LoadRecorder& recorder) { recorder.set_pack(recorder.rank_object(), 1); });
  expect_rejected("add_pack_time", [](LoadRecorder& recorder) { recorder.add_pack_time(1, 1); });
  expect_rejected("instrument", [](LoadRecorder& recorder) {
    recorder.instrument(false);
    EXPECT_TRUE(recorder.instruments());
  });
  expect_rejected("get_obj_time", [](LoadRecorder& recorder) {
    EXPECT_EQ(recorder.get_obj_time(recorder.rank_object()), 0);
  });
  expect_rejected("set_obj_time",
                  [](LoadRecorder& recorder) { recorder.set_obj_time(recorder.rank_object(), 1); });
  expect_rejected("set_subphase", [](LoadRecorder& recorder) { recorder.set_subphase(1); });
  expect_rejected("set_value", [](LoadRecorder& recorder) {
    recorder.set_value(recorder.rank_object(), UserValueKind::attributes, "a", 1.0);
  });
}

TEST_F(RecorderWithThreads, RejectsRemovalOfObjectThatThreadMeasures) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  std::thread([&] { recorder.begin(object); }).join();
  recorder.remove_object(object);
  const auto error = error_of_next_phase(recorder);
  EXPECT_NE(std::string(error ? error->what() : "").find("while it is still being measured"),
            std::string::npos);
  recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
