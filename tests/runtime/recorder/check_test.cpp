// Tests lb_check: objects on several ranks, and messages of unknown objects, are found in the phase in which
// they occur.
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

class RecorderCheck : public RecorderRun {
 protected:
  Settings checked(const std::string& name = "data") {
    Settings its = settings(name);
    its.lb_check = true;
    its.sink = [this](std::string_view message) { said.emplace_back(message); };
    return its;
  }
  std::vector<std::string> said;
};

TEST_F(RecorderCheck, NamesObjectThatTwoRanksClaim) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  LoadRecorder recorder(MPI_COMM_WORLD, checked());
  const ObjectId shared = runtime::object_id(0, 1000);
  for (int k = 0; k < 10; ++k) recorder.register_object();
  ObjectHandle object;
  if (rank == 0) object = recorder.register_object(shared, {});
  recorder.register_object_group();
  recorder.next_phase();
  if (rank == count - 1) object = recorder.register_object(shared, {});
  const auto error = error_of_next_phase(recorder);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(std::string(error->what())
                .find("object 1000 of home rank 0 (ID " + std::to_string(static_cast<std::uint64_t>(shared)) +
                      ") is registered on rank 0 and on rank " + std::to_string(count - 1) +
                      " at the end of phase 1;"),
            0U)
      << error->what();
  EXPECT_EQ(error->what(), text_of_rank_0(error->what()));
  if (rank == 0) recorder.remove_object(object);
  EXPECT_EQ(recorder.next_phase().phase, 2);
  recorder.close();
}

TEST_F(RecorderCheck, AcceptsObjectsThatMigrate) {
  LoadRecorder recorder(MPI_COMM_WORLD, checked());
  const auto id_at = [&](int home) { return runtime::object_id((home + 2 * count) % count, 5); };
  ObjectHandle object = recorder.register_object({.number = 5});
  for (int phase = 0; phase < 2 * count; ++phase) {
    for (int other = 0; other < count; ++other) recorder.record_message(id_at(rank), id_at(other), 1);
    recorder.next_phase();
    recorder.remove_object(object);
    object = recorder.register_object(id_at(rank - phase - 1), {});
  }
  recorder.next_phase();
  recorder.close();
  EXPECT_EQ(said, std::vector<std::string>{});
  read();
}

TEST_F(RecorderCheck, WarnsAboutMessagesOfUnknownObjects) {
  for (const bool on : {true, false}) {
    said.clear();
    Settings its = checked(on ? "on" : "off");
    its.lb_check = on;
    LoadRecorder recorder(MPI_COMM_WORLD, its);
    const ObjectId mine = recorder.id(recorder.register_object());
    recorder.next_phase();
    recorder.record_message(mine, runtime::object_id(0, 77), 1);
    recorder.record_message(recorder.id(recorder.rank_object()), mine, 1);
    recorder.next_phase();
    recorder.record_message(mine, runtime::object_id(0, 77), 1);  // the same edge again
    recorder.next_phase();
    recorder.close();
    ASSERT_EQ(said.size(), on && rank == 0 ? 1U : 0U);
    const std::string unknown = std::to_string(static_cast<std::uint64_t>(runtime::object_id(0, 77)));
    for (const std::string& message : said)
      EXPECT_NE(
          message.find("messages in phase 1 have a sender or receiver that is not registered on any rank: "
                       "object 77 of home rank 0 (ID " +
                       unknown + ");"),
          std::string::npos)
          << message;
  }
}

}  // namespace
}  // namespace plimsoll::testing
