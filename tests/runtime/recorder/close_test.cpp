// Tests the end of a recorder: a missing close(), errors of the last phase, and calls after close().
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/recorder/recorder_with_errors.hpp"

namespace plimsoll::testing {
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
}  // namespace plimsoll::testing
