// Tests that `plimsoll profile` explains what it recorded of real programs: why nothing, and where the
// profiles of several runs are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <regex>

#include <plimsoll/collectives/files.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProfileCommand : public ::testing::TestWithParam<TestedMpi> {
 protected:
  Outcome profile(std::vector<std::string> command, const std::vector<std::string>& options = {}) {
    command.insert(command.begin(), {"profile", "-o", folder_ / "profile", "--mpi", GetParam().name});
    command.insert(command.begin() + 5, options.begin(), options.end());
    command.insert(command.begin() + 5 + static_cast<std::ptrdiff_t>(options.size()), "--");
    return run_plimsoll(command, {.environment = launcher_environment()});
  }

  Outcome profile_ranks(const std::vector<std::string>& program,
                        const std::vector<std::string>& options = {}) {
    std::vector<std::string> command = {GetParam().launcher, "-n", "2"};
    command.insert(command.end(), program.begin(), program.end());
    return profile(command, options);
  }

  std::string program(const std::string& name) const { return GetParam().program(name); }

  TemporaryFolder folder_;
};

void expect_cause(const Outcome& outcome, const std::string& cause) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nothing was recorded in "));
  EXPECT_THAT(outcome.err, HasSubstr(cause));
}

TEST_P(ProfileCommand, ReportsProgramWithoutCalls) {
  expect_cause(profile_ranks({program("initialise_only")}),
               "the program called none of the operations to record");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "profile"));
}

TEST_P(ProfileCommand, ReportsMpiThatIsLoadedLater) {
  const char* const library = GetParam().name == "openmpi" ? "libmpi.so.40" : "libmpich.so.12";
  expect_cause(profile_ranks({program("dlopened_mpi"), library}), "the program loads MPI with dlopen()");
}

TEST_P(ProfileCommand, ReportsInitialisationThatItDoesNotSee) {
  expect_cause(profile_ranks({program("other_initialisation")}, {"--record", "mpi"}),
               "MPI_Init did not reach the profiler");
  const bool has_sessions = GetParam().name == "mpich";  // of the tested MPIs
  if (has_sessions)
    expect_cause(profile_ranks({program("other_initialisation"), "session"}), "uses MPI sessions");
}

TEST_P(ProfileCommand, ReportsLostPreload) {
  expect_cause(profile_ranks({"env", "-u", "LD_PRELOAD", program("initialise_only")}),
               "did not pass on LD_PRELOAD");
}

TEST_P(ProfileCommand, ReportsProgramWithoutMpi) {
  expect_cause(profile_ranks({program("without_mpi")}), "no process initialised MPI");
}

TEST_P(ProfileCommand, ReportsStaticProgram) {
  expect_cause(profile_ranks({program("static_program")}),
               "static_program_" + GetParam().name + " is statically linked");
}

TEST_P(ProfileCommand, ReportsStaticMpi) {
  if (!std::filesystem::exists(program("static_mpi"))) GTEST_SKIP() << "needs a static library of this MPI";
  expect_cause(profile_ranks({program("static_mpi")}), "static_mpi_" + GetParam().name + " contains MPI");
}

TEST_P(ProfileCommand, ReportsFullDisk) {
  const Outcome outcome = profile_ranks({program("many_counts"), "40000"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("ranks 0-1 could not record all data: " + folder_ / "profile/plimsoll-"));
  EXPECT_THAT(outcome.err, HasSubstr(".rank0.log: cannot extend the log: File too large; later calls are not "
                                     "recorded; set a higher limit of file sizes"));
}

TEST_P(ProfileCommand, KeepsLogsWithoutCallsOfAllRanks) {
  const Outcome outcome = profile_ranks({program("special_cases"), "pause_on_one_rank"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("contain no call that all of its ranks recorded"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("the profile is in")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("collectives merge")));
  EXPECT_THAT(
      files_in(folder_ / "profile"),
      ::testing::UnorderedElementsAre(::testing::EndsWith(".rank0.log"), ::testing::EndsWith(".rank1.log")));
}

TEST_P(ProfileCommand, ExplainsPartlyLostPreload) {
  const std::string many_counts = program("many_counts");
  const std::string bytes = "1000000000";
  const Outcome outcome = profile({GetParam().launcher, "-n", "1", many_counts, bytes, ":", "-n", "1", "env",
                                   "-u", "LD_PRELOAD", many_counts, bytes});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 ranks is not profiled (1)"));
  EXPECT_THAT(outcome.err, HasSubstr("contain no call that all of its ranks recorded"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("collectives merge")));
}

TEST_P(ProfileCommand, ReportsStatusOfFailedProgram) {
  const Outcome outcome = profile({"sh", "-c", "exit 7"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_THAT(outcome.err, HasSubstr("the program ended with status 7"));
}

/// Returns the sizes of MPI_COMM_WORLD in the profiles of a directory and its subdirectories.
std::multiset<std::uint32_t> world_sizes(const std::string& folder) {
  std::multiset<std::uint32_t> sizes;
  std::set<std::string> folders = {folder};
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_directory()) folders.insert(entry.path());
  for (const std::string& one : folders)
    for (const collectives::Lead& lead : collectives::read({one}).profile.leads)
      for (const collectives::Signature& signature : lead.signatures) sizes.insert(signature.comm_size);
  return sizes;
}

/// Runs the commands that read the profiles of further runs.
int run_shown_commands(const std::string& text) {
  int number = 0;
  const std::regex shown("see: plimsoll (collectives summary .*/run-.*)");
  for (std::sregex_iterator match(text.begin(), text.end(), shown), end; match != end; ++match, ++number)
    EXPECT_EQ(std::system((PLIMSOLL_PROGRAM " " + (*match)[1].str() + " >/dev/null").c_str()), 0);
  return number;
}

TEST_P(ProfileCommand, ReportsProgramWithoutFinalize) {
  const Outcome outcome = profile_ranks({program("cut_short"), "exit", folder_.path()}, {"--record", "mpi"});
  EXPECT_THAT(
      outcome.err,
      HasSubstr("the program ended before MPI_Finalize (status 3); MPI calls are known on 2 of 2 ranks"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("check the messages above")));
}

// Files of MPI calls and collectives of different runs could not be read together.
TEST_P(ProfileCommand, OverwritesFilesOfAllKinds) {
  EXPECT_EQ(profile_ranks({program("any_message")}, {"--record", "counts,times,mpi"}).status, 0);
  EXPECT_EQ(profile_ranks({program("any_message")}, {"--force", "--record", "mpi"}).status, 0);
  EXPECT_THAT(files_in(folder_ / "profile"), ::testing::ElementsAre("mpi-calls.json"));
  EXPECT_EQ(profile_ranks({program("any_message")}, {"--force"}).status, 0);
  EXPECT_THAT(files_in(folder_ / "profile"), Not(::testing::Contains("mpi-calls.json")));
  const Outcome summary = run_plimsoll({"collectives", "summary", folder_ / "profile"});
  EXPECT_EQ(summary.status, 0) << summary.err;
}

// Each reports its own profile only. They start and end at almost the same time.
TEST_P(ProfileCommand, MayRunTwiceInOneDirectory) {
  std::vector<std::future<Outcome>> outcomes;
  const std::string started = folder_ / "started.";
  // Launchers of Open MPI fail if another one creates their directory for sessions at the same moment.
  const std::string script = "touch " + started + "$$; while [ $(ls " + started +
                             "* | wc -l) -lt 2 ]; do sleep 0.1; done; mkdir " + started + "$$.sessions; " +
                             "OMPI_MCA_orte_tmpdir_base=" + started + "$$.sessions " + GetParam().launcher +
                             " -n 2 " + program("any_message");
  for (int k = 0; k < 2; ++k)
    outcomes.push_back(std::async(std::launch::async, [&] { return profile({"sh", "-c", script}); }));
  std::set<std::string> profiles;
  for (std::future<Outcome>& running : outcomes) {
    const Outcome outcome = running.get();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("merge")));
    std::smatch match;
    ASSERT_TRUE(std::regex_search(outcome.err, match, std::regex("the profile is in ([^;]*);")))
        << outcome.err;
    profiles.insert(match[1]);
    EXPECT_EQ(collectives::read({match[1]}).profile.world_size, 2u);
  }
  EXPECT_EQ(profiles.size(), 2u);
  EXPECT_TRUE(profiles.contains(folder_ / "profile"));
}

TEST_P(ProfileCommand, ShowsProfilesOfFurtherRuns) {
  const std::string run = GetParam().launcher + " -n ";
  const std::string script =
      run + "2 " + program("any_message") + " && " + run + "4 " + program("any_message");
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--force"}}) {
    const Outcome outcome = profile({"sh", "-c", script}, options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(run_shown_commands(outcome.err), 1) << outcome.err;
    EXPECT_EQ(world_sizes(folder_ / "profile"), (std::multiset<std::uint32_t>{1, 1, 2, 2, 2, 4}));
    std::filesystem::remove_all(folder_ / "profile");
  }
}

TEST_P(ProfileCommand, RecordsProgramsOfAnAppfile) {
  if (GetParam().name != "openmpi") GTEST_SKIP() << "only Open MPI reads appfiles";
  const std::string program = this->program("any_message");
  const std::string appfile = folder_.write("apps", "-n 1 " + program + "\n-n 2 " + program + "\n");
  const Outcome outcome = profile({GetParam().launcher, "--app", appfile});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the profile is in "));
  EXPECT_EQ(collectives::read({folder_ / "profile"}).profile.world_size, 3u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "profile/appfile"));
}

TEST_P(ProfileCommand, WarnsOfLauncherOfAnotherMpi) {
  for (const TestedMpi& other : tested_mpis()) {
    const Outcome outcome = profile({other.launcher, "-n", "2", program("any_message")}, {"--dry-run"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const char* const warning = other.name == "mpich"
                                    ? "the launcher is that of MPICH, but the program uses Open MPI"
                                    : "the launcher is that of Open MPI, but the program uses MPICH";
    if (other.name == GetParam().name)
      EXPECT_EQ(outcome.err, "");
    else
      EXPECT_THAT(outcome.err, HasSubstr(warning));
  }
}

TEST_P(ProfileCommand, RecordsSpawnedRanksAsAnotherRun) {
  const bool can_spawn =
      run({.mpi = GetParam(), .ranks = 2, .program = program("spawning"), .profiled = false}).status == 0;
  if (!can_spawn) GTEST_SKIP() << "this MPI cannot spawn ranks";
  const Outcome outcome = profile_ranks({program("spawning")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("not profiled")));
  EXPECT_EQ(run_shown_commands(outcome.err), 1) << outcome.err;
  EXPECT_EQ(world_sizes(folder_ / "profile"), (std::multiset<std::uint32_t>{2, 2}));
}

INSTANTIATE_TEST_SUITE_P(Of, ProfileCommand, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
