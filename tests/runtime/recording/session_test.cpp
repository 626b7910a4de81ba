#include "runtime/recording/session.hpp"

#include <mpi.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

int my_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// File that only rank 0 can read: the other ranks get its text by MPI.
class FileOfRank0 {
 public:
  explicit FileOfRank0(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / ("plimsoll-lb-" + std::to_string(::getpid())))
                  .string()) {
    if (my_rank() == 0) std::ofstream(path_) << text;
  }
  FileOfRank0(const FileOfRank0&) = delete;
  FileOfRank0& operator=(const FileOfRank0&) = delete;
  ~FileOfRank0() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Settings with_file(const std::string& path) {
  Settings settings;
  settings.lb = true;
  settings.lb_file_name = path;
  return settings;
}

TEST(SessionSchedule, HasTheFileOfRank0OnAllRanks) {
  const FileOfRank0 file("%3 GreedyLB min=0.5\n");
  const Session session(MPI_COMM_WORLD, with_file(file.path()));
  EXPECT_EQ(session.lb_schedule().strategy(3)->name, "GreedyLB");
  EXPECT_FALSE(session.lb_schedule().strategy(4).has_value());
}

TEST(SessionSchedule, UsesTheSettingsOfRank0) {
  Settings settings;
  settings.lb = my_rank() == 0;
  settings.lb_name = my_rank() == 0 ? "GreedyLB" : "RotateLB";
  settings.lb_interval = 1 + my_rank();
  const Session session(MPI_COMM_WORLD, settings);
  EXPECT_TRUE(session.settings().lb);
  EXPECT_EQ(session.lb_schedule().strategy(2)->name, "GreedyLB");
}

// Otherwise, ranks would wait for others in collective calls that these do not make.
TEST(SessionSettings, AreThoseOfRank0IfTheyDecideAboutCollectiveCalls) {
  Settings settings;
  if (my_rank() == 0) {
    settings.lb_measure_speed = true;
    settings.lb_load_model = "LinearModel(length=5)";
    settings.lb_loads = LoadTime::cpu;
    settings.lb_check = true;
  }
  settings.lb_watchdog = 60 + my_rank();
  const Session session(MPI_COMM_WORLD, settings);
  EXPECT_TRUE(session.settings().lb_measure_speed);
  EXPECT_EQ(session.settings().lb_load_model, "LinearModel(length=5)");
  EXPECT_EQ(session.settings().lb_loads, LoadTime::cpu);
  EXPECT_TRUE(session.settings().lb_check);
  EXPECT_EQ(session.settings().lb_watchdog, 60 + my_rank()) << "each rank has its own";
}

TEST(SessionSettings, ReadTheSpecificationOnAllRanksOrNone) {
  const FileOfRank0 file("0 0 1\n");
  Settings settings;
  if (my_rank() == 0) {
    settings.lb_spec = true;
    settings.lb_spec_file = file.path();
  }
  EXPECT_TRUE(Session(MPI_COMM_WORLD, settings).phase_specification().has_value());
}

TEST(SessionSchedule, IsEmptyIfBalancingIsOff) {
  Settings settings;
  settings.lb_file_name = "does-not-exist";
  EXPECT_TRUE(Session(MPI_COMM_WORLD, settings).lb_schedule().entries().empty());
}

TEST(SessionSchedule, ReportsErrorsOnAllRanks) {
  const FileOfRank0 file("%3 GredyLB\n");
  EXPECT_ERROR(Session(MPI_COMM_WORLD, with_file(file.path())), bad_input, "did you mean \"GreedyLB\"?");
  EXPECT_ERROR(Session(MPI_COMM_WORLD, with_file("/does/not/exist")), system, "/does/not/exist");
  Settings settings;
  settings.lb_name = "GredyLB";
  EXPECT_ERROR(Session(MPI_COMM_WORLD, settings), usage, "unknown strategy");
}

TEST(SessionSchedule, IsShownOnRank0) {
  std::string shown;
  Settings settings;
  settings.lb = true;
  settings.lb_name = "GreedyLB";
  settings.lb_show_config = true;
  settings.sink = [&](std::string_view message) { shown += message; };
  const Session session(MPI_COMM_WORLD, settings);
  EXPECT_EQ(shown.find("Run `GreedyLB` every 1 phases") != std::string::npos, my_rank() == 0);
  EXPECT_EQ(shown.empty(), my_rank() != 0);
}

TEST(SessionHelp, IsPrintedOnRank0BeforeTheStartFails) {
  std::string shown;
  Settings settings;
  settings.help_lb_args = true;
  settings.lb_name = "RefineLB";
  settings.sink = [&](std::string_view message) { shown += message; };
  EXPECT_ERROR(Session(MPI_COMM_WORLD, settings), usage, "remove it to run the program");
  EXPECT_EQ(shown.find("tolerance") != std::string::npos, my_rank() == 0);
}

}  // namespace
}  // namespace plimsoll::runtime
