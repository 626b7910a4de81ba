// Tests that invalid calls on one rank are reported on all ranks at the end of the phase.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_F(RecorderWithErrors, ReportsUnmatchedBeginAndEnd) {
  expect_agreed_error(
      "end() for the rank object in phase 1 does not match the last begin(): no begin() is open",
      [](LoadRecorder& recorder) { recorder.end(recorder.rank_object()); });
  const auto name = [this](std::uint64_t number) {
    const auto id = static_cast<std::uint64_t>(runtime::object_id(count - 1, number));
    return "object " + std::to_string(number) + " of home rank " + std::to_string(count - 1) + " (ID " +
           std::to_string(id) + ")";
  };
  const std::string nested = "end() for " + name(7) +
                             " in phase 1 does not match the last begin(): the last begin() was for " +
                             name(8);
  expect_agreed_error(nested, [](LoadRecorder& recorder) {
    const ObjectHandle outer = recorder.register_object({.number = 7});
    const ObjectHandle inner = recorder.register_object({.number = 8});
    recorder.begin(outer);
    recorder.begin(inner);
    recorder.end(outer);
    recorder.end(inner);
    recorder.end(outer);
  });
  expect_agreed_error("phase 1 ended with 2 begin() calls still open: the rank object, idle time",
                      [](LoadRecorder& recorder) {
                        recorder.begin(recorder.rank_object());
                        recorder.begin_idle();
                      });
  expect_agreed_error("end() for idle time in phase 1", [](LoadRecorder& recorder) { recorder.end_idle(); });
  expect_agreed_error("end() for an unknown object in phase 1", [](LoadRecorder& recorder) {
    const ObjectHandle removed = recorder.register_object();
    recorder.remove_object(removed);
    recorder.end(removed);
  });
}

TEST_F(RecorderWithErrors, ReportsUnknownObjects) {
  expect_agreed_error("begin(): object is not (or no longer) registered",
                      [](LoadRecorder& recorder) { recorder.begin(ObjectHandle{}); });
  expect_agreed_error("begin(): object is not (or no longer) registered", [](LoadRecorder& recorder) {
    const ObjectHandle object = recorder.register_object();
    recorder.remove_object(object);
    auto work = recorder.work_on(object);
  });
  expect_agreed_error("remove_object(): object is not (or no longer) registered", [](LoadRecorder& recorder) {
    const ObjectHandle object = recorder.register_object();
    recorder.remove_object(object);
    recorder.remove_object(object);
  });
  expect_agreed_error("add_time(): object is not (or no longer) registered",
                      [](LoadRecorder& recorder) { recorder.add_time(ObjectHandle{.slot = 77}, 1); });
  expect_agreed_error("set_obj_time(): object is not (or no longer) registered",
                      [](LoadRecorder& recorder) { recorder.set_obj_time(ObjectHandle{.slot = 77}, 1); });
  expect_agreed_error("get_obj_time(): object is not (or no longer) registered",
                      [](LoadRecorder& recorder) { EXPECT_EQ(recorder.get_obj_time(ObjectHandle{}), 0); });
  expect_agreed_error("set_value(): object is not (or no longer) registered", [](LoadRecorder& recorder) {
    recorder.set_value(ObjectHandle{}, UserValueKind::attributes, "a", 1.0);
  });
  expect_agreed_error("remove_value(): object is not (or no longer) registered", [](LoadRecorder& recorder) {
    recorder.remove_value(ObjectHandle{}, UserValueKind::attributes, "a");
  });
}

TEST_F(RecorderWithErrors, NamesUnknownObjects) {
  expect_agreed_error(
      "add_time(): object is not (or no longer) registered on this rank: object 5 of home rank 0 (ID ",
      [](LoadRecorder& recorder) {
        const ObjectHandle object = recorder.register_object({.home = 0, .number = 5});
        recorder.remove_object(object);
        recorder.add_time(object, 1);
      });
  expect_agreed_error("registered on this rank: the handle is empty",
                      [](LoadRecorder& recorder) { recorder.add_time(ObjectHandle{}, 1); });
  expect_agreed_error("registered on this rank: the handle is not that of an object of this recorder",
                      [](LoadRecorder& recorder) { recorder.add_time(ObjectHandle{.slot = 77}, 1); });
}

TEST_F(RecorderWithErrors, ReportsInvalidObjects) {
  expect_agreed_error("already registered on this rank", [](LoadRecorder& recorder) {
    EXPECT_TRUE(recorder.register_object({.number = 3}));
    EXPECT_FALSE(recorder.register_object({.number = 3}));
  });
  expect_agreed_error("expected the ID of a collection element", [](LoadRecorder& recorder) {
    const ObjectHandle object = recorder.register_object(ObjectId{4}, {});
    EXPECT_FALSE(object);
    EXPECT_EQ(recorder.id(object), ObjectId::none);
  });
  expect_agreed_error("invalid home rank: must be >= 0",
                      [](LoadRecorder& recorder) { recorder.register_object({.home = -1, .number = 1}); });
  expect_agreed_error("invalid home rank 60000", [this](LoadRecorder& recorder) {
    EXPECT_FALSE(recorder.register_object({.home = 60000, .number = 1}));
    EXPECT_FALSE(recorder.register_object(runtime::object_id(count, 1), {}));
  });
  expect_agreed_error("missing number",
                      [](LoadRecorder& recorder) { recorder.register_object({.home = 1 << 10}); });
  expect_agreed_error(
      "2^46", [](LoadRecorder& recorder) { recorder.register_object({.number = std::uint64_t{1} << 46}); });
  expect_agreed_error("rank object cannot be removed",
                      [](LoadRecorder& recorder) { recorder.remove_object(recorder.rank_object()); });
  for (const bool nested : {false, true}) {
    expect_agreed_error("while it is still being measured", [nested](LoadRecorder& recorder) {
      const ObjectHandle object = recorder.register_object();
      auto work = recorder.work_on(object);
      if (nested) {
        auto inner = recorder.work_on(recorder.rank_object());
        recorder.remove_object(object);
      } else {
        recorder.remove_object(object);
      }
    });
  }
}

TEST_F(RecorderWithErrors, ReportsInvalidNumbers) {
  const auto on_rank = [](auto&& work) {
    return [work](LoadRecorder& recorder) { work(recorder, recorder.rank_object()); };
  };
  expect_agreed_error("invalid time -1 s for add_time(): must be finite and >= 0",
                      on_rank([](auto& recorder, auto object) { recorder.add_time(object, -1); }));
  expect_agreed_error("invalid time nan s for add_time(): must be finite and >= 0",
                      on_rank([](auto& recorder, auto object) { recorder.add_time(object, std::nan("")); }));
  expect_agreed_error("invalid time inf s for set_obj_time(): must be finite and >= 0",
                      on_rank([](auto& recorder, auto object) { recorder.set_obj_time(object, infinity); }));
  expect_agreed_error("invalid subphase -1 for set_subphase()",
                      on_rank([](auto& recorder, auto) { recorder.set_subphase(-1); }));
  expect_agreed_error("invalid subphase 65535 for set_subphase()",
                      on_rank([](auto& recorder, auto) { recorder.set_subphase(65535); }));
  expect_agreed_error("invalid time -2 s for object", [](LoadRecorder& recorder) {
    recorder.register_object({.measured = false});
    recorder.user_set_lb_load([asked = 0](ObjectHandle) mutable { return asked++ == 0 ? -2.0 : 0.0; });
  });
  expect_agreed_error("\"x\": JSON cannot represent inf", on_rank([](auto& recorder, auto object) {
                        recorder.set_value(object, UserValueKind::user_defined, "x", infinity);
                      }));
  expect_agreed_error("\"y\": JSON cannot represent -inf",
                      on_rank([](auto& recorder, auto) { recorder.set_phase_value("y", -infinity); }));
  expect_agreed_error("invalid integer 9223372036854775808 for the value \"size\": must be <= 2^63 - 1",
                      on_rank([](auto& recorder, auto object) {
                        recorder.set_value(object, UserValueKind::user_defined, "size", std::size_t{1} << 63);
                      }));
  expect_agreed_error("set too late",
                      on_rank([](auto& recorder, auto) { recorder.set_rank_value("z", 1.0); }));
}

TEST_F(RecorderWithErrors, ReportsMessagesWithInvalidEndpoints) {
  using enum lbdata::CommCategory;
  expect_agreed_error("category SendRecv: from", [](LoadRecorder& recorder) {
    recorder.record_message(Endpoint::shared_block(1), recorder.id(recorder.rank_object()), 1);
  });
  expect_agreed_error(": from ", [](LoadRecorder& recorder) {
    recorder.record_message(Endpoint::node(0), Endpoint::node(0), 1);
  });
  expect_agreed_error("category WriteShared: from", [](LoadRecorder& recorder) {
    const Endpoint object = recorder.id(recorder.rank_object());
    recorder.record_edge(WriteShared, object, object, 1);
  });
  expect_agreed_error("sender or receiver does not exist", [](LoadRecorder& recorder) {
    recorder.record_message(ObjectId::none, recorder.id(recorder.rank_object()), 1);
  });
  for (const int no_rank : {-1, 1 << 20}) {
    expect_agreed_error("sender or receiver does not exist", [no_rank](LoadRecorder& recorder) {
      recorder.record_message(recorder.id(recorder.rank_object()), Endpoint::node(no_rank), 1);
    });
    expect_agreed_error("sender or receiver does not exist", [no_rank](LoadRecorder& recorder) {
      recorder.add_writable_shared_id(no_rank, 1, 1);
    });
  }
}

}  // namespace
}  // namespace plimsoll::testing
