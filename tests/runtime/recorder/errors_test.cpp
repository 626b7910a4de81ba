// Tests that errors of settings, hooks and the program are thrown on all ranks, and that the program can
// continue.
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "runtime/recorder/recorder_with_errors.hpp"

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
}  // namespace plimsoll::testing
