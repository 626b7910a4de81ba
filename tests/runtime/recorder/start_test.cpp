// Tests recorders in programs that initialise MPI in different ways. Each case needs a separate process.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

// Returns a directory that all ranks share: its name contains the process ID of the launcher, their common
// parent.
std::string folder() {
  return (std::filesystem::temp_directory_path() / ("plimsoll-start-" + std::to_string(::getppid())))
      .string();
}

void run(LoadRecorder& recorder) {
  const ObjectHandle object = recorder.register_object();
  for (int phase = 0; phase < 50; ++phase) {
    recorder.add_time(object, 1.0);
    recorder.next_phase();
  }
  const int rank = recorder.rank();
  const std::string path = recorder.node_lb_data().path();
  EXPECT_FALSE(std::filesystem::exists(path));
  recorder.close();
  const lbdata::ValidationReport report = lbdata::validate({{rank, path}});
  for (const Diagnostic& finding : report.findings) ADD_FAILURE() << finding.what;
  EXPECT_EQ(report.phases, 50U);
  std::filesystem::remove(path);
  std::error_code not_the_last;
  std::filesystem::remove(folder(), not_the_last);
}

std::vector<std::string> arguments() {
  return {"program",      "--vt_lb_data", "--vt_lb_data_dir=" + folder(), "mine", "--vt_lb_statistics=false",
          "--vt_lb_quiet"};
}

TEST(Start, InitialisesMpiAndRemovesPlimsollArguments) {
  std::vector<std::string> words = arguments();
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  {
    LoadRecorder recorder(argc, argv.data());
    int initialised = 0;
    MPI_Initialized(&initialised);
    EXPECT_NE(initialised, 0);
    EXPECT_EQ(argc, 2);
    EXPECT_STREQ(argv[1], "mine");
    run(recorder);
  }
  int finalised = 0;
  MPI_Finalized(&finalised);
  EXPECT_NE(finalised, 0);
}

TEST(Start, SupportsMpiWithoutThreadsAndDoesNotFinaliseIt) {
  MPI_Init(nullptr, nullptr);
  {
    Settings settings;
    settings.lb_data = true;
    settings.lb_data_dir = folder();
    settings.lb_statistics = false;
    settings.lb_quiet = true;
    LoadRecorder recorder(MPI_COMM_WORLD, settings);
    run(recorder);
  }
  int finalised = 0;
  MPI_Finalized(&finalised);
  EXPECT_EQ(finalised, 0);
  MPI_Finalize();
}

TEST(Start, LetsRecorderOutliveMpi) {
  MPI_Init(nullptr, nullptr);
  Settings settings;
  settings.lb_statistics = false;
  settings.lb_quiet = true;
  LoadRecorder recorder(MPI_COMM_WORLD, settings);
  MPI_Finalize();
  EXPECT_ERROR(recorder.next_phase(), usage, "next_phase() called after close()");
  recorder.close();  // does nothing
}

// Runs two phases, and reports an error in the third one, which does not end.
void run_two_phases(LoadRecorder& recorder) {
  recorder.next_phase();
  recorder.next_phase();
  if (recorder.rank() == 1) recorder.end(recorder.rank_object());
}

Settings settings_of_unclosed_recorder(const std::string& name, std::vector<std::string>& said) {
  Settings settings;
  settings.lb_data = true;
  settings.lb_data_dir = folder();
  settings.lb_data_file = name + ".%p.json";
  settings.lb_quiet = true;
  settings.sink = [&said](std::string_view message) { said.emplace_back(message); };
  return settings;
}

void expect_two_phases(const std::string& name, int rank) {
  const std::string path = folder() + "/" + name + "." + std::to_string(rank) + ".json.br";
  const lbdata::ValidationReport report = lbdata::validate({{rank, path}});
  EXPECT_TRUE(report.findings.empty()) << path;
  EXPECT_EQ(report.phases, 2U) << path;
  std::filesystem::remove(path);
  std::error_code not_the_last;
  std::filesystem::remove(folder(), not_the_last);
}

TEST(Start, ClosesRecordersInMpiFinalize) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::string> said;
  LoadRecorder first(MPI_COMM_WORLD, settings_of_unclosed_recorder("first", said));
  { LoadRecorder(MPI_COMM_WORLD, {.lb_quiet = true}).close(); }
  const auto second =
      std::make_unique<LoadRecorder>(MPI_COMM_WORLD, settings_of_unclosed_recorder("second", said));
  run_two_phases(first);
  run_two_phases(*second);
  MPI_Finalize();
  expect_two_phases("first", rank);
  expect_two_phases("second", rank);
  ASSERT_EQ(said.size(), rank == 0 ? 2U : 0U);
  for (const std::string& message : said)
    EXPECT_NE(message.find("error while MPI_Finalize closed the recorder: rank 1: end()"), std::string::npos)
        << message;
}

TEST(Start, WaitsInCloseForRanksInMpiFinalize) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::string> said;
  LoadRecorder recorder(MPI_COMM_WORLD, settings_of_unclosed_recorder("some", said));
  recorder.next_phase();
  recorder.next_phase();
  if (rank == 0) recorder.close();
  MPI_Finalize();
  expect_two_phases("some", rank);
  EXPECT_TRUE(said.empty());
}

TEST(Start, NamesRankInMpiFinalizeWhileOthersEndPhase) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::string> said;
  LoadRecorder recorder(MPI_COMM_WORLD, settings_of_unclosed_recorder("early", said));
  recorder.next_phase();
  recorder.next_phase();
  const std::string expected = "rank 0 called close() in phase 2 while rank 1 called next_phase() in phase 2";
  if (rank == 1) EXPECT_ERROR(recorder.next_phase(), usage, expected);
  MPI_Finalize();
  expect_two_phases("early", rank);
  ASSERT_EQ(said.size(), rank == 0 ? 1U : 0U);
  for (const std::string& message : said)
    EXPECT_NE(message.find("error while MPI_Finalize closed the recorder: " + expected), std::string::npos)
        << message;
}

TEST(Start, DoesNotCloseDestroyedRecordersInMpiFinalize) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::string> said;
  const Settings settings = settings_of_unclosed_recorder("gone", said);
  { LoadRecorder(MPI_COMM_WORLD, settings).next_phase(); }
  MPI_Finalize();
  const std::string path = data_file_path(settings, rank);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(said.size(), rank == 0 ? 1U : 0U);
  for (const char* suffix : {".partial", ".pending"}) std::filesystem::remove(path + suffix);
  std::error_code not_the_last;
  std::filesystem::remove(folder(), not_the_last);
}

// Finalising would deadlock: this rank and the ranks that threw no exception would wait for each other.
TEST(Start, LeavesMpiRunningAfterException) {
  int argc = 0;
  char* argv[] = {nullptr};
  EXPECT_THROW(
      {
        const LoadRecorder recorder(argc, argv, {.lb_statistics = false});
        throw std::runtime_error("of the program");
      },
      std::runtime_error);
  int finalised = 0;
  MPI_Finalized(&finalised);
  EXPECT_EQ(finalised, 0);
  MPI_Finalize();
}

TEST(Start, NamesTheLauncherOfAnotherMpi) {
  MPI_Init(nullptr, nullptr);
  for (const char* const variable : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) ::unsetenv(variable);
  const Settings quiet{.lb_quiet = true};
  ::setenv("PMI_SIZE", "3", 1);
  EXPECT_ERROR(const LoadRecorder recorder(MPI_COMM_WORLD, quiet), usage,
               "the launcher has started 3 (PMI_SIZE): the program is linked with ");
  int argc = 0;
  char* argv[] = {nullptr};
  EXPECT_ERROR(const LoadRecorder recorder(argc, argv), usage, "the launcher belongs to MPICH");
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);  // the program runs in a shell of another job
  LoadRecorder(MPI_COMM_WORLD, quiet).close();
  ::unsetenv("PMI_SIZE");
  ::setenv("OMPI_COMM_WORLD_SIZE", "5", 1);
  EXPECT_ERROR(const LoadRecorder recorder(MPI_COMM_WORLD, quiet), usage, "the launcher belongs to Open MPI");
  MPI_Finalize();
}

TEST(Start, ReportsMisspeltArgumentOnAllRanks) {
  std::string words[] = {"program", "--vt_lb_dta"};
  char* argv[] = {words[0].data(), words[1].data(), nullptr};
  int argc = 2;
  MPI_Init(nullptr, nullptr);
  EXPECT_ERROR(const LoadRecorder recorder(argc, argv), usage, "vt_lb_data");
  MPI_Finalize();
}

TEST(Start, NamesSpecificationFileWithoutEffectOnRank0) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::string> said;
  Settings settings{.lb_spec_file = "none", .lb_quiet = true};
  settings.sink = [&said](std::string_view message) { said.emplace_back(message); };
  int argc = 0;
  char* argv[] = {nullptr};
  LoadRecorder(MPI_COMM_WORLD, settings).close();
  LoadRecorder(argc, argv, settings).close();
  ASSERT_EQ(said.size(), rank == 0 ? 2U : 0U);
  for (const std::string& message : said)
    EXPECT_NE(message.find("lb_spec_file (default) has no effect"), std::string::npos) << message;
  MPI_Finalize();
}

}  // namespace
}  // namespace plimsoll::runtime

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
