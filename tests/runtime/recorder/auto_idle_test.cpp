// Tests the wrappers of blocking MPI calls, with any number of ranks. The program is linked with them.
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include <plimsoll/runtime/balancer.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& call) {
  const Clock::time_point begin = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class AutoIdle : public RecorderRun {
 protected:
  Settings with_auto_idle(bool on = true) const {
    Settings result = settings();
    result.lb_data = false;
    result.lb_auto_idle = on;
    return result;
  }
  int left() const { return (rank + count - 1) % count; }
  int right() const { return (rank + 1) % count; }

  MPI_Request receive_from_left() {
    MPI_Request request;
    MPI_Irecv(&in_, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &request);
    return request;
  }
  /// Sends to the right when the rank is late, so that its neighbour waits.
  void send_right() { MPI_Isend(&out_, 1, MPI_INT, right(), 0, MPI_COMM_WORLD, &sent_); }
  void complete_send() { MPI_Wait(&sent_, MPI_STATUS_IGNORE); }

  int in_ = 0;
  int out_ = 1;
  MPI_Request sent_ = MPI_REQUEST_NULL;
};

TEST_F(AutoIdle, TakesWaitsOffLoad) {
  std::vector<int> all(static_cast<std::size_t>(count));
  const std::vector<int> ones(all.size(), 1);
  std::vector<int> places(all.size());
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<int>(k);
  int sum = 0;
  const std::map<std::string, std::function<void()>> collectives = {
      {"Barrier", [&] { MPI_Barrier(MPI_COMM_WORLD); }},
      {"Allreduce", [&] { MPI_Allreduce(&out_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }},
      {"Allgather", [&] { MPI_Allgather(&out_, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD); }},
      {"Allgatherv",
       [&] {
         MPI_Allgatherv(&out_, 1, MPI_INT, all.data(), ones.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
       }},
      {"Alltoall", [&] { MPI_Alltoall(ones.data(), 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD); }},
      {"Alltoallv",
       [&] {
         MPI_Alltoallv(ones.data(), ones.data(), places.data(), MPI_INT, all.data(), ones.data(),
                       places.data(), MPI_INT, MPI_COMM_WORLD);
       }},
      {"Bcast", [&] { MPI_Bcast(&out_, 1, MPI_INT, 0, MPI_COMM_WORLD); }},
      {"Scatter", [&] { MPI_Scatter(ones.data(), 1, MPI_INT, &in_, 1, MPI_INT, 0, MPI_COMM_WORLD); }},
      {"Reduce_scatter_block",
       [&] { MPI_Reduce_scatter_block(ones.data(), &in_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }},
  };
  const std::map<std::string, std::function<void()>> receives = {
      {"Recv", [&] { MPI_Recv(&in_, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }},
      {"Wait",
       [&] {
         MPI_Request request = receive_from_left();
         MPI_Wait(&request, MPI_STATUS_IGNORE);
       }},
      {"Waitall",
       [&] {
         MPI_Request request = receive_from_left();
         MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
       }},
      {"Waitany",
       [&] {
         MPI_Request request = receive_from_left();
         int index = 0;
         MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
       }},
      {"Probe",
       [&] {
         MPI_Probe(left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
         MPI_Recv(&in_, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
       }},
  };
  LoadRecorder recorder(MPI_COMM_WORLD, with_auto_idle());
  const ObjectHandle object = recorder.register_object();
  // Rank 0 is late. The load of the object must not contain the time of the call.
  const auto expect_idle = [&](const std::string& name, const std::function<void()>& call) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    recorder.set_obj_time(object, 0);
    double waited_s = 0;
    const double total_s = seconds_of([&] {
      const auto work = recorder.work_on(object);
      waited_s = seconds_of(call);
    });
    EXPECT_LE(recorder.get_obj_time(object), total_s - 0.9 * waited_s + 1e-3) << name;
  };
  for (const auto& [name, call] : collectives) expect_idle(name, call);
  for (const auto& [name, call] : receives) {
    if (count == 1) break;
    expect_idle(name, [&, wait = call] {
      send_right();
      wait();
    });
    complete_send();
  }
  const PhaseSummary summary = recorder.next_phase();
  EXPECT_EQ(recorder.phase(), 1) << "no begin() is left open";
  if (rank > 0) {
    EXPECT_GE(summary.times.idle_s, 0.01);
  }
  EXPECT_DOUBLE_EQ(summary.times.total_s,
                   summary.times.objects_s + summary.times.background_s + summary.times.idle_s);
  recorder.close();
}

TEST_F(AutoIdle, DoesNotCountTheCallsOfTheRecorderAndItsBalancer) {
  const auto be_late = [&] {
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  LoadRecorder recorder(MPI_COMM_WORLD, with_auto_idle());
  runtime::Balancer balancer(recorder);
  double in_hook_s = 0;
  recorder.on_phase_end([&](const PhaseSummary& summary) {
    if (summary.phase > 0) return;
    be_late();
    in_hook_s = seconds_of([] { MPI_Barrier(MPI_COMM_WORLD); });
  });
  recorder.next_phase();
  double planning_s = 0;
  PhaseSummary summary;
  const double total_s = seconds_of([&] {
    be_late();
    planning_s = seconds_of([&] {
      balancer.plan("RotateLB");
      balancer.owner({});
    });
    summary = recorder.next_phase();
  });
  EXPECT_LE(summary.times.total_s, total_s - 0.9 * planning_s + 0.1 * in_hook_s + 1e-3);
  recorder.close();
}

TEST_F(AutoIdle, CountsNothingUnlessSet) {
  LoadRecorder recorder(MPI_COMM_WORLD, with_auto_idle(false));
  const ObjectHandle object = recorder.register_object();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  double waited_s = 0;
  {
    const auto work = recorder.work_on(object);
    waited_s = seconds_of([] { MPI_Barrier(MPI_COMM_WORLD); });
  }
  EXPECT_GE(recorder.get_obj_time(object), 0.99 * waited_s);
  recorder.close();
}

TEST_F(AutoIdle, IgnoresOtherThreadsAndPausedRecorders) {
  LoadRecorder recorder(MPI_COMM_WORLD, with_auto_idle());
  const ObjectHandle object = recorder.register_object();
  recorder.begin(object);
  std::thread([] {
    int level = 0;
    MPI_Query_thread(&level);
    if (level >= MPI_THREAD_SERIALIZED) MPI_Barrier(MPI_COMM_SELF);
  }).join();
  recorder.end(object);
  recorder.instrument(false);
  MPI_Barrier(MPI_COMM_WORLD);
  recorder.instrument(true);
  EXPECT_FALSE(error_of_next_phase(recorder));
  recorder.close();
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(AutoIdle, BelongsToFirstRecorder) {
  LoadRecorder first(MPI_COMM_WORLD, with_auto_idle());
  {
    LoadRecorder second(MPI_COMM_WORLD, with_auto_idle());
    second.close();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(error_of_next_phase(first));
  first.close();
}

}  // namespace
}  // namespace plimsoll::testing
