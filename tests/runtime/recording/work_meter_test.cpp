#include <gtest/gtest.h>

#include <thread>

#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

// Meter with handles of two objects.
struct Meter {
  explicit Meter(bool with_cpu_time = false) : meter(Clock::Source::system, with_cpu_time) {
    meter.slots().add();
    meter.slots().add();
    meter.timer().resize(meter.slots().size());
    one = meter.slots().handle(ObjectSlots::first_object);
    other = meter.slots().handle(ObjectSlots::first_object + 1);
    meter.start_phase();
  }
  WorkMeter meter;
  ObjectHandle one;
  ObjectHandle other;
};

TEST(WorkMeter, RejectsInvalidHandles) {
  Meter its;
  EXPECT_FALSE(its.meter.begin(ObjectHandle{}));
  EXPECT_FALSE(its.meter.begin({.slot = 100, .generation = 0}));
  its.meter.slots().invalidate(its.one.slot);
  EXPECT_FALSE(its.meter.begin(its.one));
  EXPECT_TRUE(its.meter.begin(its.other));
  EXPECT_TRUE(its.meter.begin(WorkMeter::idle));
  EXPECT_EQ(its.meter.timer().depth(), 2U);
}

TEST(WorkMeter, RejectsEndOutOfOrder) {
  Meter its;
  EXPECT_FALSE(its.meter.end(its.one));
  its.meter.begin(its.one);
  its.meter.begin(its.other);
  EXPECT_FALSE(its.meter.end(its.one));
  EXPECT_TRUE(its.meter.end(its.other));
  EXPECT_TRUE(its.meter.end(its.one));
}

TEST(WorkMeter, AcceptsUnmatchedEndInPhaseThatEnablesMeter) {
  Meter its;
  its.meter.switch_on(false);
  EXPECT_TRUE(its.meter.begin(its.one));
  EXPECT_TRUE(its.meter.end(its.one));
  its.meter.switch_on(true);
  EXPECT_TRUE(its.meter.end(its.one));
  its.meter.start_phase();
  EXPECT_FALSE(its.meter.end(its.one));
}

TEST(WorkMeter, CountsOpenWorkAtPhaseEnd) {
  Meter its;
  its.meter.begin(its.one);
  its.meter.begin(its.one);
  EXPECT_EQ(its.meter.end_all(), 2U);
  EXPECT_EQ(its.meter.end_all(), 0U);
  its.meter.begin(its.one);
  its.meter.switch_on(false);
  EXPECT_EQ(its.meter.end_all(), 0U);
}

TEST(WorkMeter, ChargesCpuTimeToObjectThatUsedIt) {
  EXPECT_EQ(Meter().meter.cpu(), nullptr);
  Meter its(true);
  its.meter.begin(its.one);
  const std::int64_t begin = Clock::cpu_nanoseconds();
  while (Clock::cpu_nanoseconds() - begin < 1'000'000) continue;
  its.meter.end(its.one);
  EXPECT_GE(its.meter.cpu()->seconds(its.one.slot), 1e-3);
  EXPECT_EQ(its.meter.cpu()->seconds(its.other.slot), 0);
  its.meter.clear();
  EXPECT_EQ(its.meter.cpu()->seconds(its.one.slot), 0);
}

}  // namespace

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
