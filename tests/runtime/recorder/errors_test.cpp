// Tests that errors of settings, hooks and the program are thrown on all ranks, and that the program can
// continue; hooks with any number of ranks; and the end of a recorder: a missing close(), errors of the last
// phase, and calls after close().

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

TEST_F(RecorderWithErrors, ReportsFirstErrorOfLowestRank) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.set_subphase(-rank - 1);
  recorder.set_subphase(-100);
  const auto error = error_of_next_phase(recorder);
  ASSERT_TRUE(error);
  EXPECT_NE(
      std::string(error->what()).find(count > 1 ? "rank 0: invalid subphase -1" : "invalid subphase -1"),
      std::string::npos)
      << error->what();
  recorder.next_phase();
  recorder.close();
}

TEST_F(RecorderWithErrors, ThrowsHookErrorsOnAllRanksAtNextPhase) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  int started = 0;
  recorder.on_phase_end([&](const PhaseSummary& summary) {
    if (summary.phase == 1 && rank == count - 1) throw std::runtime_error("the hook failed");
  });
  recorder.on_phase_start([&](std::int64_t phase) { EXPECT_EQ(phase, ++started); });
  recorder.next_phase();
  recorder.next_phase();
  const auto error = error_of_next_phase(recorder);
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("the hook failed"), std::string::npos) << error->what();
  EXPECT_EQ(started, 3) << "a phase begins despite an error";
  recorder.next_phase();
  recorder.close();
  EXPECT_EQ(read().ranks[0].phases.size(), 4U);
}

TEST_F(RecorderWithErrors, RejectsHookThatEndsPhaseAgain) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.on_phase_end([&](const PhaseSummary& summary) {
    if (summary.phase == 0) recorder.next_phase();
  });
  recorder.next_phase();
  const auto error = error_of_next_phase(recorder);
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("next_phase() called inside a hook"), std::string::npos)
      << error->what();
  EXPECT_EQ(recorder.phase(), 2);
  recorder.close();
}

TEST_F(RecorderWithErrors, ThrowsErrorsOfProgramOnAllRanks) {
  expect_agreed_error("the mesh is tangled", [](LoadRecorder& recorder) {
    recorder.note(support::usage_error("the mesh is tangled", "untangle it"));
  });
}

TEST_F(RecorderWithErrors, ThrowsSinkErrorsOnAllRanksAtNextPhase) {
  Settings loud = settings();
  loud.lb_quiet = false;
  bool fails = true;
  loud.sink = [&](std::string_view) {
    if (fails) throw std::runtime_error("nobody listens");
  };
  LoadRecorder recorder(MPI_COMM_WORLD, loud);
  recorder.next_phase();
  fails = false;
  const auto error = error_of_next_phase(recorder);
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("nobody listens"), std::string::npos) << error->what();
  recorder.close();
  EXPECT_EQ(read().ranks[0].phases.size(), 2U);
}

TEST_F(RecorderWithErrors, RejectsInvalidSettingsOnAllRanks) {
  const auto expect_refused = [&](const Settings& wrong, const std::string& expected) {
    const auto error = error_of([&] { const LoadRecorder recorder(MPI_COMM_WORLD, wrong); });
    ASSERT_TRUE(error.has_value()) << "no error was thrown: " << expected;
    EXPECT_THAT(error->what(), ::testing::HasSubstr(expected));
    EXPECT_EQ(error->what(), text_of_rank_0(error->what()));
  };
  Settings wrong = settings();
  wrong.lb_statistics_freq = 0;
  expect_refused(wrong, "invalid value \"0\" for lb_statistics_freq");
  wrong = settings();
  wrong.lb_history = -1;
  expect_refused(wrong, "invalid value \"-1\" for lb_history");
  wrong = settings();
  wrong.lb_data_file = "";
  expect_refused(wrong, "for lb_data_file");
  wrong = settings();
  wrong.lb_spec = true;
  expect_refused(wrong, "requires a specification file");
  wrong = settings();
  wrong.lb_spec = true;
  wrong.lb_spec_file = folder + "/none";
  expect_refused(wrong, folder + "/none");
  wrong = settings();
  wrong.lb_data_dir = "/proc/none";
  expect_refused(wrong, "/proc/none");

  const std::string existing = folder + "/there/data." + std::to_string(count - 1) + ".json.br";
  if (rank == 0) {
    std::filesystem::create_directories(folder + "/there");
    std::filesystem::copy_file("/proc/self/cmdline", existing);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_refused(settings("there"), existing);
}

TEST_F(RecorderWithErrors, NamesLibraryThatAutoIdleRequires) {
  Settings its = settings();
  its.lb_auto_idle = true;
  const auto error = error_of([&] { LoadRecorder(MPI_COMM_WORLD, its); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_NE(std::string(error->what())
                .find("link plimsoll::auto_idle before MPI (pkg-config "
                      "plimsoll-auto_idle), or clear the setting"),
            std::string::npos)
      << error->what();
}

}  // namespace

namespace {

TEST_F(RecorderWithErrors, ReportsMissingCloseOnce) {
  std::vector<std::string> said;
  Settings its = settings();
  its.sink = [&said](std::string_view message) { said.emplace_back(message); };
  const auto forget_close = [&] {
    LoadRecorder recorder(MPI_COMM_WORLD, its);
    recorder.next_phase();
  };
  forget_close();
  ASSERT_EQ(said.size(), rank == 0 ? 1U : 0U);
  for (const std::string& message : said) {
    EXPECT_NE(message.find("without close()"), std::string::npos) << message;
  }
  EXPECT_TRUE(std::filesystem::exists(data_file_path(its, rank) + ".partial"));
}

TEST_F(RecorderWithErrors, ThrowsErrorsOfLastPhaseOnClose) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.next_phase();
  if (rank == count - 1) recorder.end(recorder.rank_object());
  EXPECT_ERROR(recorder.close(), usage, "end()");
  EXPECT_EQ(read().ranks[0].phases.size(), 1U) << "the files are nevertheless complete";
  recorder.close();  // a second close() does nothing
  EXPECT_ERROR(recorder.next_phase(), usage, "next_phase() called after close()");
}

TEST_F(RecorderWithErrors, RecordsNothingAfterClose) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  recorder.close();
  {
    auto work = recorder.work_on(object);
    recorder.add_time(object, 1);
    recorder.record_message(recorder.id(object), recorder.id(object), 1);
    recorder.set_subphase(1);
    recorder.set_phase_value("a", 1.0);
    recorder.set_value(object, UserValueKind::attributes, "a", 1.0);
    EXPECT_FALSE(recorder.register_object());
    recorder.remove_object(object);
    recorder.instrument(true);
  }
  read();
}

}  // namespace

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
