#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <plimsoll/mpi/internal/roll_call.hpp>
#include <plimsoll/support/error.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::testing {
namespace {

using mpi::RollCall;
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
}  // namespace plimsoll::testing
