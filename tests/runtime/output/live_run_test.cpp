// Tests that other programs cannot write to the files of a running program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

class LiveRun : public RecorderRun {
 protected:
  std::string stream(int of_rank) const {
    return fmt::format("{}/data/data.{}.json.br.partial", folder, of_rank);
  }
  std::string file(int of_rank) const { return fmt::format("{}/data/data.{}.json.br", folder, of_rank); }
  static void run_phases(LoadRecorder& recorder, int phases) {
    const ObjectHandle object = recorder.register_object();
    for (int phase = 0; phase < phases; ++phase) {
      recorder.add_time(object, 1.0);
      recorder.next_phase();
    }
  }
  Settings overwriting() const {
    Settings its = settings();
    its.lb_data_overwrite = true;
    return its;
  }
};

TEST_F(LiveRun, CreatesFilesAtStart) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  EXPECT_TRUE(std::filesystem::exists(stream(rank)));
  run_phases(recorder, 1);
  recorder.close();
  read();
  EXPECT_FALSE(std::filesystem::exists(stream(rank)));
}

TEST_F(LiveRun, ReportsUnwritableDirectoryAtStart) {
  Settings its = settings();
  if (rank == 0) std::filesystem::create_directories(file(count - 1) + ".partial/in the way");
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_ERROR(LoadRecorder(MPI_COMM_WORLD, its), usage, "already exists");
  its.lb_data_overwrite = true;
  EXPECT_ERROR(LoadRecorder(MPI_COMM_WORLD, its), usage, "is a directory");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int other = 0; other + 1 < count; ++other) EXPECT_FALSE(std::filesystem::exists(stream(other)));
}

TEST_F(LiveRun, IsProtectedFromAnotherRecorder) {
  LoadRecorder live(MPI_COMM_WORLD, settings());
  run_phases(live, 2);
  // Simulates another program whose only rank is 0.
  std::string error;
  if (rank == 0) {
    Settings its = overwriting();
    its.lb_data_file = "data.%p.json";
    its.lb_data_compress = false;
    error = error_of([&] { LoadRecorder(MPI_COMM_SELF, its); }).value().what();
    EXPECT_THAT(error, ::testing::HasSubstr(fmt::format("process {} on ", ::getpid())));
  }
  EXPECT_TRUE(std::filesystem::exists(stream(rank)));
  live.close();
  EXPECT_EQ(read().ranks.back().phases.size(), 2U);
}

TEST_F(LiveRun, RejectsOnlyRecordersOfSameDataSet) {
  Settings its = overwriting();
  its.lb_data_file = "run1";
  LoadRecorder live(MPI_COMM_WORLD, its);
  if (rank == 0) {
    EXPECT_ERROR(LoadRecorder(MPI_COMM_SELF, its), usage, "is writing there");
    its.lb_data_file = "run2";
    LoadRecorder(MPI_COMM_SELF, its).close();
    EXPECT_TRUE(std::filesystem::exists(folder + "/data/run20.br"));
  }
  live.close();
}

TEST_F(LiveRun, ProtectsStatisticsFileIfDataFilesAreDisabled) {
  Settings its = overwriting();
  its.lb_data = false;
  its.lb_statistics = true;
  its.lb_statistics_dir = folder;
  its.lb_statistics_file = "statistics.json";
  LoadRecorder live(MPI_COMM_WORLD, its);
  run_phases(live, 1);
  if (rank == 0) {
    LoadRecorder(MPI_COMM_SELF, its).close();
    EXPECT_TRUE(std::filesystem::exists(folder + "/statistics-2.json.br"));
    EXPECT_FALSE(std::filesystem::exists(folder + "/statistics.json.br"));
  }
  live.close();
  if (rank == 0) {
    EXPECT_EQ(lbdata::read_statistics_file(folder + "/statistics.json.br").size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(folder + "/.plimsoll.statistics.json.br.lock"));
  }
}

TEST_F(LiveRun, IsProtectedFromGenerateAndRepair) {
  LoadRecorder live(MPI_COMM_WORLD, settings());
  run_phases(live, 2);
  if (rank == 0) {
    lbdata::GenerateOptions options;
    options.ranks = 1;
    EXPECT_ERROR(lbdata::generate_files(options, folder + "/data", "data", {.overwrite = true}), usage,
                 fmt::format("process {} on ", ::getpid()));
    for (const lbdata::RepairedFile& repaired :
         lbdata::repair_files({folder + "/data"}, {.overwrite = true})) {
      ASSERT_TRUE(repaired.error);
      EXPECT_THAT(repaired.error->what(), ::testing::HasSubstr("is writing there"));
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(std::filesystem::exists(stream(rank)));
  live.close();
  EXPECT_EQ(read().ranks.back().phases.size(), 2U);
}

// Simulates an earlier version: the file of a higher rank is in use although its directory is not locked.
TEST_F(LiveRun, RejectsOverwriteWhileFileOfHigherRankIsInUse) {
  std::optional<support::OutputFile> live;
  if (rank == 0) {
    std::filesystem::create_directories(folder + "/data");
    live.emplace(file(count));
    live->write("a phase");
    live->flush();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_ERROR(LoadRecorder(MPI_COMM_WORLD, overwriting()), usage, "another program is writing it");
  EXPECT_TRUE(std::filesystem::exists(stream(count)));
  MPI_Barrier(MPI_COMM_WORLD);
  if (live) live->close();
}

TEST_F(LiveRun, ReplacesEarlierRunOnlyWhenComplete) {
  if (rank == 0) {
    lbdata::GenerateOptions options;
    options.ranks = count + 2;
    options.phases = 7;
    lbdata::generate_files(options, folder + "/data", "data", {});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  LoadRecorder recorder(MPI_COMM_WORLD, overwriting());
  run_phases(recorder, 1);
  EXPECT_EQ(read_alone("data", count + 2).ranks.back().phases.size(), 7U);
  MPI_Barrier(MPI_COMM_WORLD);
  recorder.close();
  EXPECT_EQ(read().ranks.back().phases.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(file(count)));
  EXPECT_FALSE(std::filesystem::exists(file(count + 1)));
}

TEST_F(LiveRun, PublishesNothingIfAnyRankCannotCloseItsFile) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  run_phases(recorder, 1);
  if (rank == count - 1) recorder.node_lb_data().stop_writing();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == count - 1) std::filesystem::remove(stream(rank));
  EXPECT_ERROR(recorder.close(), system, "no longer exists");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int other = 0; other < count; ++other) EXPECT_FALSE(std::filesystem::exists(file(other)));
}

std::unique_ptr<LoadRecorder>& global_recorder() {
  static std::unique_ptr<LoadRecorder> recorder;
  return recorder;
}

TEST_F(LiveRun, ContinuesAfterForkedProcessEnds) {
  global_recorder() = std::make_unique<LoadRecorder>(MPI_COMM_WORLD, settings());
  run_phases(*global_recorder(), 2);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a failing test would wait for a thread that fork() did not copy
    global_recorder().reset();
    ::_exit(0);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  global_recorder()->next_phase();
  global_recorder()->close();
  EXPECT_EQ(read().ranks.back().phases.size(), 3U);
  global_recorder().reset();
}

}  // namespace
}  // namespace plimsoll::testing
