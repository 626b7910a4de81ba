#include "runtime/recording/thread_table.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

TEST(ThreadTable, KeepsWorkOfEachThread) {
  ThreadTable table(Clock::Source::system, false);
  ThreadWork* mine = &table.mine();
  ThreadWork* other = nullptr;
  std::thread([&] { other = &table.mine(); }).join();
  EXPECT_EQ(&table.mine(), mine);
  EXPECT_NE(other, mine);
  ASSERT_EQ(table.all().size(), 2U);
  EXPECT_EQ(table.all()[0]->number, 1);
  EXPECT_EQ(table.all()[1]->number, 2);
}

TEST(ThreadTable, DropsThreadsThatRecordedNothingInPhase) {
  ThreadTable table(Clock::Source::system, false);
  table.mine().begin(3, 4, 0);
  EXPECT_TRUE(table.mine().end(3));
  std::thread([&] { table.mine(); }).join();
  table.end_phase();
  ASSERT_EQ(table.all().size(), 2U) << "both were used in the phase that ended";
  table.mine().begin(3, 4, 0);
  table.mine().timer.unwind();
  table.end_phase();
  ASSERT_EQ(table.all().size(), 1U);
  EXPECT_EQ(table.all()[0].get(), &table.mine());
  EXPECT_EQ(table.mine().timer.ticks(0, 3), 0);
}

TEST(ThreadTable, DoesNotConfuseTablesAtTheSameAddress) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    ThreadTable table(Clock::Source::system, false);
    EXPECT_EQ(table.mine().number, 1);
    EXPECT_EQ(table.all().size(), 1U);
  }
}

TEST(ThreadWork, RejectsUnmatchedEndAndChangesColumn) {
  ThreadWork work(1, 42, Clock::Source::system, true);
  EXPECT_FALSE(work.end(2));
  work.begin(2, 5, 3);
  EXPECT_FALSE(work.end(4));
  EXPECT_TRUE(work.end(2));
  EXPECT_FALSE(work.end(2));
  EXPECT_TRUE(work.timer.has_column(3));
  EXPECT_GE(work.timer.ticks(3, 2), 0);
}

}  // namespace
}  // namespace plimsoll::runtime
