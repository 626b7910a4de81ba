// Tests hooks of the program with any number of ranks.
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using RecorderHooks = RecorderRun;

TEST_F(RecorderHooks, RunInOrder) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  std::vector<std::string> calls;
  const auto note = [&calls](const std::string& what, std::int64_t phase) {
    calls.push_back(what + std::to_string(phase));
  };
  recorder.on_phase_start([&](std::int64_t phase) { note("start", phase); });
  recorder.on_phase_end([&](const PhaseSummary& summary) {
    note("end", summary.phase);
    EXPECT_EQ(recorder.node_lb_data().phases().back().id, summary.phase)
        << "hooks can already read the phase";
    EXPECT_EQ(&runtime::the_node_lb_data(), &recorder.node_lb_data());
  });
  recorder.on_phase_start([&](std::int64_t phase) { note("and start", phase); });
  recorder.on_phase_end([&](const PhaseSummary& summary) { note("and end", summary.phase); });
  recorder.next_phase();
  recorder.next_phase();
  EXPECT_EQ(calls, (std::vector<std::string>{"end0", "and end0", "start1", "and start1", "end1", "and end1",
                                             "start2", "and start2"}));
  recorder.close();
}

TEST_F(RecorderHooks, KeepPhaseAvailableToLaterHooks) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.on_phase_end([&](const PhaseSummary&) { recorder.node_lb_data().keep(0); });
  int called = 0;
  recorder.on_phase_end([&](const PhaseSummary& summary) {
    ++called;
    EXPECT_NE(recorder.node_lb_data().phase(summary.phase), nullptr);
  });
  recorder.next_phase();
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(recorder.node_lb_data().phases().empty());
  recorder.close();
}

TEST_F(RecorderHooks, CanAddHooks) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  int called = 0;
  recorder.on_phase_start([&](std::int64_t phase) {
    if (phase > 1) return;
    for (int k = 0; k < 100; ++k) recorder.on_phase_start([&](std::int64_t) { ++called; });
  });
  recorder.next_phase();
  EXPECT_EQ(called, 0) << "added hooks are called from the next phase on";
  recorder.next_phase();
  EXPECT_EQ(called, 100);
  recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
