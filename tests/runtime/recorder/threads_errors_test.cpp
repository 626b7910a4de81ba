// Tests that mistakes of other threads, and calls that only the owner may make, are reported.
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/recorder/recorder_with_threads.hpp"

namespace plimsoll::testing {
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
