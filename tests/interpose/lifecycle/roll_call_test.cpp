#include "interpose/lifecycle/roll_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::testing {
namespace {

using interpose::RollCall;
using ::testing::Each;
using ::testing::Pair;
using ::testing::SizeIs;

/// Ranks in threads, which only wait as long as a test needs.
class MeetingRanks : public ::testing::Test {
 protected:
  struct Result {
    std::map<int, std::string> absent;  ///< what each rank was told
    int deciders = 0;
  };

  Result meet(const std::vector<int>& present, int ranks, const std::string& name = "run") {
    Result result;
    std::mutex mutex;
    std::vector<std::thread> threads;
    threads.reserve(present.size());
    for (const int rank : present)
      threads.emplace_back([&, rank] {
        RollCall roll_call(folder_.path(), name, rank, ranks, patience_);
        const std::string absent = roll_call.absent_ranks([] {});
        const std::scoped_lock lock(mutex);
        result.absent[rank] = absent;
        result.deciders += roll_call.decided_here();
      });
    for (std::thread& thread : threads) thread.join();
    return result;
  }

  TemporaryFolder folder_;
  std::chrono::milliseconds patience_{300};
};

TEST_F(MeetingRanks, AreComplete) {
  patience_ = std::chrono::minutes(5);
  const Result result = meet({0, 1, 2, 3}, 4);
  EXPECT_THAT(result.absent, SizeIs(4));
  EXPECT_THAT(result.absent, Each(Pair(::testing::_, "")));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(MeetingRanks, DetectAbsentRanks) {
  const Result result = meet({0, 1}, 4);
  EXPECT_THAT(result.absent, Each(Pair(::testing::_, "2 of 4 ranks are not profiled (2, 3)")));
  EXPECT_EQ(result.deciders, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(MeetingRanks, DetectThatRank0IsAbsent) {
  const Result result = meet({1, 2, 3}, 4);
  EXPECT_THAT(result.absent, SizeIs(3));
  EXPECT_THAT(result.absent, Each(Pair(::testing::_, "1 of 4 ranks is not profiled (0)")));
  EXPECT_EQ(result.deciders, 1);
}

TEST_F(MeetingRanks, NameOnlySomeOfManyAbsentRanks) {
  EXPECT_EQ(meet({1}, 9).absent[1], "8 of 9 ranks are not profiled (0, 2, 3, 4, 5 and 3 others)");
}

TEST_F(MeetingRanks, DoNotMeetRanksOfAnotherProgram) {
  Result other;
  std::thread thread([&] { other = meet({1}, 2, "other run"); });
  const Result result = meet({0}, 2);
  thread.join();
  EXPECT_EQ(result.absent.at(0), "1 of 2 ranks is not profiled (1)");
  EXPECT_EQ(other.absent.at(1), "1 of 2 ranks is not profiled (0)");
}

// All ranks must agree, even if a rank arrives after the others have decided that it is absent.
TEST_F(MeetingRanks, KeepTheirDecisionIfARankIsLate) {
  RollCall early(folder_.path(), "run", 0, 2, patience_);
  EXPECT_EQ(early.absent_ranks([] {}), "1 of 2 ranks is not profiled (1)");
  EXPECT_EQ(meet({1}, 2).absent[1], "1 of 2 ranks is not profiled (1)");
}

TEST_F(MeetingRanks, NeedADirectory) {
  const std::string file = folder_.write("file", "");
  EXPECT_ERROR(RollCall(file + "/folder", "run", 0, 2), system, "cannot create the directory");
}

}  // namespace

namespace {

/// A process without the variables of launchers.
class WorldName : public ::testing::Test {
 protected:
  WorldName() {
    for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports", "PALS_APID",
                             "SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_HET_JOB_ID"})
      ::unsetenv(name);
  }
};

TEST_F(WorldName, DistinguishesRunsOfOpenMpi) {
  ::setenv("PMIX_NAMESPACE", "1309868033", 1);
  ::setenv("OMPI_MCA_orte_precondition_transports", "b860fedeb39724d5-002e353771f5a2f6", 1);
  const std::string name = interpose::world_name();
  EXPECT_EQ(interpose::world_name(), name);
  ::setenv("PMIX_NAMESPACE", "1309868034", 1);  // spawned ranks
  EXPECT_NE(interpose::world_name(), name);
  ::setenv("PMIX_NAMESPACE", "1309868033", 1);
  ::setenv("OMPI_MCA_orte_precondition_transports", "0000000000000001-002e353771f5a2f6", 1);
  EXPECT_NE(interpose::world_name(), name);
}

TEST_F(WorldName, DistinguishesJobStepsOfSlurm) {
  ::setenv("SLURM_JOB_ID", "77", 1);
  ::setenv("SLURM_STEP_ID", "0", 1);
  const std::string name = interpose::world_name();
  ::setenv("SLURM_STEP_ID", "1", 1);
  EXPECT_NE(interpose::world_name(), name);
}

// The components of a heterogeneous job have the job IDs 77, 78, ... and the same HET_JOB_ID.
TEST_F(WorldName, IsEqualInComponentsOfAHeterogeneousJob) {
  ::setenv("SLURM_HET_JOB_ID", "77", 1);
  ::setenv("SLURM_STEP_ID", "0", 1);
  ::setenv("SLURM_JOB_ID", "77", 1);
  const std::string name = interpose::world_name();
  ::setenv("SLURM_JOB_ID", "78", 1);
  EXPECT_EQ(interpose::world_name(), name);
}

TEST_F(WorldName, RunIdIsThatOfTheProcess) {
  const std::uint64_t own = interpose::run_id_of_rank_0();
  EXPECT_EQ(interpose::run_id_of_rank_0(), own);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(interpose::run_id_of_rank_0() == own ? 1 : 0);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the ID of another process is equal";
}

}  // namespace
}  // namespace plimsoll::testing
