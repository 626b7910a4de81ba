// Tests that the CPU time of an object contains that of all threads.
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/recorder/recorder_with_threads.hpp"
#include "runtime/recording/spin.hpp"

namespace plimsoll::testing {
namespace {

TEST_F(RecorderWithThreads, MeasuresCpuTimeOfEachThread) {
  Settings its = settings();
  its.lb_cpu_time = true;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  std::vector<double> cpu_s(threads);
  in_threads([&](int k) {
    auto work = recorder.work_on(object);
    const auto start = runtime::Clock::cpu_nanoseconds();
    spin(0.003);
    cpu_s[k] = 1e-9 * static_cast<double>(runtime::Clock::cpu_nanoseconds() - start);
  });
  double all_s = 0;
  for (const double s : cpu_s) all_s += s;
  EXPECT_GE(recorder.next_phase().times.cpu_objects_s, 0.98 * all_s);
  recorder.close();
}

TEST_F(RecorderWithThreads, UsesCpuTimeOfAllThreadsAsLoadBySubphase) {
  Settings its = settings();
  its.lb_loads = LoadTime::cpu;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  for (int phase = 0; phase < 2; ++phase) {
    std::vector<double> cpu_s(2);
    for (int subphase = 0; subphase < 2; ++subphase) {
      recorder.set_subphase(subphase);
      std::vector<double> of_thread_s(threads);
      in_threads([&](int k) {
        auto work = recorder.work_on(object);
        const auto start = runtime::Clock::cpu_nanoseconds();
        spin(0.001 * (1 + 2 * subphase));
        of_thread_s[k] = 1e-9 * static_cast<double>(runtime::Clock::cpu_nanoseconds() - start);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // takes no CPU time
      });
      for (const double s : of_thread_s) cpu_s[static_cast<std::size_t>(subphase)] += s;
    }
    if (phase == 1) recorder.set_obj_time(object, 7);
    recorder.next_phase();
    const double load_s = load_in_phase_s(recorder, recorder.id(object), phase);
    if (phase == 1) {
      EXPECT_EQ(load_s, 7);
      continue;
    }
    const lbdata::PhaseRecord& record = *recorder.node_lb_data().phase(phase);
    std::vector<double> by_subphase(2);
    for (std::size_t k = 0; k < record.tasks.subphase_id.size(); ++k) {
      if (record.tasks.subphase_id[k] >= 0)
        by_subphase[static_cast<std::size_t>(record.tasks.subphase_id[k])] += record.tasks.subphase_time_s[k];
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_GE(by_subphase[k], 0.98 * cpu_s[k]);
      EXPECT_LE(by_subphase[k], cpu_s[k] + threads * 0.01) << "half of the time that all threads sleep";
    }
    EXPECT_GE(load_s, 0.98 * (cpu_s[0] + cpu_s[1]));
  }
  recorder.close();
  read();
}

}  // namespace
}  // namespace plimsoll::testing
