// Tests that errors of one rank are thrown on all ranks at the end of the phase, and that the program can
// continue.
#include <cmath>
#include <limits>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class RecorderWithErrors : public RecorderRun {
 protected:
  // Causes an error on the last rank and expects the same exception on all ranks.
  void expect_agreed_error(const std::string& expected, const std::function<void(LoadRecorder&)>& wrong) {
    SCOPED_TRACE(expected);
    const int guilty = count - 1;
    LoadRecorder recorder(MPI_COMM_WORLD, settings("errors" + std::to_string(++runs_)));
    recorder.register_object({.number = 1000});
    recorder.next_phase();
    if (rank == guilty) wrong(recorder);
    const auto error = error_of_next_phase(recorder);
    EXPECT_TRUE(error) << "no error was thrown";
    const std::string text = error ? error->what() : "";
    EXPECT_EQ(text, text_of_rank_0(text));
    EXPECT_EQ(text.find("rank " + std::to_string(guilty) + ": ") == 0, count > 1) << text;
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    EXPECT_EQ(error ? error->kind() : ErrorKind::system, ErrorKind::usage);

    EXPECT_EQ(recorder.phase(), 2);
    const PhaseSummary summary = recorder.next_phase();
    EXPECT_EQ(summary.phase, 2);
    recorder.close();
    EXPECT_EQ(read("errors" + std::to_string(runs_)).ranks[static_cast<std::size_t>(rank)].phases.size(), 3U);
  }

 private:
  int runs_ = 0;
};

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
