#include <gtest/gtest.h>

#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/cpu_meter.hpp"

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
}  // namespace plimsoll::runtime
