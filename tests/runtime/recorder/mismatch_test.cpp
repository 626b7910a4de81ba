// Tests that ranks in different collective calls get an error instead of waiting for each other for ever, and
// that the watchdog names the ranks that do not arrive.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include <plimsoll/runtime/balancer.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

const runtime::ObjectTransport no_transport = {
    .size_bytes = [](ObjectId) { return std::size_t{0}; },
    .pack = [](ObjectId, std::span<std::byte>) { return std::size_t{0}; },
    .unpack = [](ObjectId, std::span<const std::byte>) { return std::size_t{0}; },
    .remove = nullptr};

/// The collective members of a Balancer.
const std::map<std::string, std::function<void(runtime::Balancer&)>> balancer_calls{
    {"balance_at_phase_ends",
     [](runtime::Balancer& balancer) { balancer.balance_at_phase_ends(no_transport); }},
    {"plan", [](runtime::Balancer& balancer) { balancer.plan("RotateLB"); }},
    {"moved", [](runtime::Balancer& balancer) { balancer.moved({}); }},
    {"migrate", [](runtime::Balancer& balancer) { balancer.migrate({}, no_transport); }},
    {"owner", [](runtime::Balancer& balancer) { balancer.owner({}); }}};

class RecorderMismatch : public RecorderRun {
 protected:
  std::string last() const { return std::to_string(count - 1); }

  /// Runs `test(name, recorder, call)` in phase 1 of a new recorder for each collective member of a Balancer.
  template <class Test>
  void with_each_balancer_call(const Test& test) const {
    for (const auto& each : balancer_calls) {
      LoadRecorder recorder(MPI_COMM_WORLD, settings(each.first));
      runtime::Balancer balancer(recorder);
      recorder.next_phase();
      test(each.first, recorder, [&] { each.second(balancer); });
    }
  }
};

TEST_F(RecorderMismatch, NamesRankThatClosesWhileOthersEndPhase) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  for (const bool last_closes : {true, false}) {
    const std::string name = last_closes ? "last" : "others";
    LoadRecorder recorder(MPI_COMM_WORLD, settings(name));
    const ObjectHandle object = recorder.register_object();
    for (int phase = 0; phase < 3; ++phase) recorder.next_phase();
    const bool closes = (rank == count - 1) == last_closes;
    const auto error = error_of([&] {
      auto work = recorder.work_on(object);
      if (closes) return recorder.close();
      recorder.next_phase();
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::usage);
    // The rank in the earlier call is the lowest one, the rank in the later call the highest one.
    const std::string closing =
        last_closes || count == 2 ? std::to_string(last_closes ? count - 1 : 0) : std::to_string(count - 2);
    const std::string ending = last_closes ? "0" : last();
    EXPECT_NE(std::string(error->what())
                  .find("rank " + closing + " called close() in phase 3 while rank " + ending +
                        " called next_phase() in phase 3"),
              std::string::npos)
        << error->what();
    EXPECT_EQ(error->what(), text_of_rank_0(error->what()));
    EXPECT_ERROR(recorder.next_phase(), usage, "next_phase() called after close()");
    recorder.close();  // does nothing
    EXPECT_EQ(read(name).ranks[static_cast<std::size_t>(rank)].phases.size(), 3U)
        << "the files are complete up to the last phase that all ranks ended";
  }
}

TEST_F(RecorderMismatch, NamesRankThatBalancesWhileOthersEndPhase) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  with_each_balancer_call([&](const std::string& name, LoadRecorder& recorder, const auto& call) {
    call();
    recorder.next_phase();
    const auto error = error_of([&] {
      if (rank == 0) return call();
      recorder.next_phase();
    });
    ASSERT_TRUE(error);
    EXPECT_NE(
        std::string(error->what())
            .find("rank 0 called " + name + "() in phase 2 while rank 1 called next_phase() in phase 2"),
        std::string::npos)
        << error->what();
    EXPECT_ERROR(call(), usage, name + "() called after close()");
    EXPECT_EQ(read(name).ranks[static_cast<std::size_t>(rank)].phases.size(), 2U);
  });
}

TEST_F(RecorderMismatch, NamesRankThatClosesWhileOthersBalance) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  with_each_balancer_call([&](const std::string& name, LoadRecorder& recorder, const auto& call) {
    const auto error = error_of([&] {
      if (rank == count - 1) return recorder.close();
      call();
    });
    ASSERT_TRUE(error);
    EXPECT_NE(std::string(error->what())
                  .find("rank " + last() + " called close() in phase 1 while rank 0 called " + name +
                        "() in phase 1"),
              std::string::npos)
        << error->what();
    EXPECT_EQ(read(name).ranks[static_cast<std::size_t>(rank)].phases.size(), 1U);
  });
}

TEST_F(RecorderMismatch, CallsHookBeforeCollectiveCalls) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  runtime::Balancer balancer(recorder);
  std::vector<std::string> calls;
  bool fails = false;
  recorder.on_collective_call([&](std::string_view call, const runtime::WatchedWait& wait) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait(request);
    calls.emplace_back(call);
    if (fails) throw support::usage_error("other ranks are elsewhere");
  });
  recorder.next_phase();
  balancer.owner({});
  fails = true;
  const ObjectHandle object = recorder.register_object();
  recorder.add_time(object, 2);
  EXPECT_ERROR(recorder.next_phase(), usage, "other ranks are elsewhere");
  EXPECT_ERROR(balancer.plan("RotateLB"), usage, "other ranks are elsewhere");
  EXPECT_ERROR(recorder.close(), usage, "other ranks are elsewhere");
  EXPECT_EQ(calls, (std::vector<std::string>{"next_phase", "owner", "next_phase", "plan", "close"}));
  recorder.on_collective_call(nullptr);
  const PhaseSummary summary = recorder.next_phase();
  EXPECT_EQ(summary.phase, 1) << "the calls that failed had no effect";
  EXPECT_DOUBLE_EQ(summary.object_load_s.maximum(), 2);
  recorder.close();
  EXPECT_EQ(read().ranks[static_cast<std::size_t>(rank)].phases.size(), 2U);
}

TEST_F(RecorderMismatch, WatchdogNamesMissingRanksOnce) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  for (const int late : {0, count - 1}) {
    const std::filesystem::path reported = folder + "/reported" + std::to_string(late);
    std::vector<std::string> said;
    Settings its = settings("late" + std::to_string(late));
    its.lb_watchdog = 1;
    its.sink = [&](std::string_view message) {
      said.emplace_back(message);
      std::ofstream(reported) << message;
    };
    LoadRecorder recorder(MPI_COMM_WORLD, its);
    recorder.next_phase();
    if (rank == late) {
      while (!std::filesystem::exists(reported)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(recorder.next_phase().phase, 1) << "the late rank was waited for";
    int reports = static_cast<int>(said.size());
    MPI_Allreduce(MPI_IN_PLACE, &reports, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(reports, 1) << "only one of the waiting ranks reports";
    for (const std::string& message : said) {
      EXPECT_EQ(
          message.find("rank " + std::to_string(rank) + " has been waiting in next_phase() of phase 1 for "),
          0U)
          << message;
      EXPECT_NE(message.find(" s: missing rank " + std::to_string(late) + ";"), std::string::npos) << message;
    }
    recorder.next_phase();
    recorder.close();
    EXPECT_EQ(read("late" + std::to_string(late)).ranks[0].phases.size(), 3U);
  }
}

TEST_F(RecorderMismatch, NoWatchdogWithLimitZero) {
  Settings its = settings();
  its.lb_watchdog = 0;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  EXPECT_EQ(recorder.next_phase().object_load_s.count(), static_cast<std::size_t>(count));
  recorder.close();
  read();
}

}  // namespace
}  // namespace plimsoll::testing
