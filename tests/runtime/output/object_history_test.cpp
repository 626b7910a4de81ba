#include "runtime/output/object_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/runtime/node_lb_data.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct KeptPhases {
  lbdata::EntityIndex object(std::uint64_t number, std::int64_t index = 0) {
    return data.entities().intern({.id = lbdata::WideInteger{number << 18 | 3},
                                   .home = 0,
                                   .migratable = true,
                                   .index = std::vector{index}});
  }
  /// Adds a phase in which object 1 worked for 4 s, 3 of them in subphase 1, and object 2 for 1 s.
  void end_phase(std::int64_t id) {
    lbdata::PhaseRecord record;
    record.id = id;
    record.tasks.entity = {object(1), object(2)};
    record.tasks.time_s = {4, 1};
    record.tasks.node = {0, 0};
    record.tasks.resource = {data.cpu(), data.cpu()};
    record.tasks.subphase_end = {2, 2};
    record.tasks.subphase_id = {0, 1};
    record.tasks.subphase_time_s = {0, 3};
    data.add(std::move(record));
  }
  std::vector<double> times_s(std::uint64_t number) {
    std::vector<double> result;
    for (const PastLoad& load : data.history(object(number))) result.push_back(load.time_s);
    return result;
  }
  static Settings settings() {
    Settings result;
    result.lb_history = 3;
    return result;
  }

  NodeLBData data{settings(), {.rank = 0}};
};

TEST(ObjectHistory, ContainsMeasuredLoads) {
  KeptPhases kept;
  kept.end_phase(5);
  kept.end_phase(6);
  const std::vector<PastLoad> loads = kept.data.history(kept.object(1));
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].phase, 5);
  EXPECT_EQ(loads[1].phase, 6);
  EXPECT_EQ(loads[0].time_s, 4);
  EXPECT_THAT(loads[0].subphases_s, ElementsAre(0, 3));
  EXPECT_THAT(kept.data.history(kept.object(2))[0].subphases_s, IsEmpty());
  EXPECT_THAT(kept.times_s(3), IsEmpty());
}

TEST(ObjectHistory, SumsAddedLoads) {
  KeptPhases kept;
  kept.end_phase(5);
  kept.data.add_history(kept.object(3), {.phase = 5, .time_s = 2, .subphases_s = {1}});
  kept.data.add_history(kept.object(3), {.phase = 5, .time_s = 3, .subphases_s = {0.5, 1}});
  const std::vector<PastLoad> loads = kept.data.history(kept.object(3));
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(loads[0].time_s, 5);
  EXPECT_THAT(loads[0].subphases_s, ElementsAre(1.5, 1));
}

TEST(ObjectHistory, PrefersMeasuredLoadsAndIgnoresUnknownPhases) {
  KeptPhases kept;
  kept.end_phase(5);
  kept.data.add_history(kept.object(1), {.phase = 5, .time_s = 9, .subphases_s = {}});
  kept.data.add_history(kept.object(1, 8), {.phase = 5, .time_s = 9, .subphases_s = {}});  // the same number
  kept.data.add_history(kept.object(3), {.phase = 4, .time_s = 9, .subphases_s = {}});
  EXPECT_THAT(kept.times_s(1), ElementsAre(4));
  EXPECT_EQ(kept.data.added_history(5).tasks.size(), 0U);
  EXPECT_EQ(kept.data.added_history(4).tasks.size(), 0U);
}

TEST(ObjectHistory, FormsRecordOfAddedLoads) {
  KeptPhases kept;
  kept.end_phase(5);
  kept.data.add_history(kept.object(3), {.phase = 5, .time_s = 2, .subphases_s = {0.5, 1.5}});
  kept.data.add_history(kept.object(4), {.phase = 5, .time_s = 7, .subphases_s = {7}});
  const lbdata::Tasks tasks = kept.data.added_history(5).tasks;
  ASSERT_EQ(tasks.size(), 2U);
  const std::size_t third = tasks.entity[0] == kept.object(3) ? 0 : 1;
  EXPECT_EQ(tasks.entity[1 - third], kept.object(4));
  EXPECT_EQ(tasks.time_s[third], 2);
  const std::uint32_t begin = tasks.subphase_begin(third);
  ASSERT_EQ(tasks.subphase_end[third] - begin, 2U);
  EXPECT_EQ(tasks.subphase_id[begin], 0);
  EXPECT_EQ(tasks.subphase_id[begin + 1], 1);
  EXPECT_EQ(tasks.subphase_time_s[begin + 1], 1.5);
  EXPECT_EQ(tasks.subphase_end.back(), 3U);
}

TEST(ObjectHistory, IsTrimmedTogetherWithPhases) {
  KeptPhases kept;
  kept.end_phase(0);
  kept.data.add_history(kept.object(3), {.phase = 0, .time_s = 2, .subphases_s = {}});
  for (std::int64_t phase = 1; phase < 3; ++phase) kept.end_phase(phase);
  EXPECT_THAT(kept.times_s(3), ElementsAre(2));
  kept.end_phase(3);
  EXPECT_THAT(kept.times_s(3), IsEmpty());
  EXPECT_THAT(kept.times_s(1), ElementsAre(4, 4, 4));
}

TEST(ObjectHistory, ForgetsAddedLoadsOfOneObject) {
  KeptPhases kept;
  kept.end_phase(0);
  for (const std::uint64_t number : {3, 4})
    kept.data.add_history(kept.object(number), {.phase = 0, .time_s = 2, .subphases_s = {}});
  kept.data.forget_history(kept.object(3));
  EXPECT_THAT(kept.times_s(3), IsEmpty());
  EXPECT_THAT(kept.times_s(4), ElementsAre(2));
}

TEST(ObjectHistory, SurvivesCompactionOfEntities) {
  KeptPhases kept;
  for (std::uint64_t number = 100; number < 5000; ++number) kept.object(number);
  kept.end_phase(0);
  kept.data.add_history(kept.object(3), {.phase = 0, .time_s = 2, .subphases_s = {}});
  EXPECT_FALSE(kept.data.compact({}).empty());
  EXPECT_EQ(kept.data.entities().size(), 3U);
  EXPECT_THAT(kept.times_s(1), ElementsAre(4));
  EXPECT_THAT(kept.times_s(3), ElementsAre(2));
  EXPECT_EQ(kept.data.added_history(0).tasks.entity.at(0), kept.object(3));
}

}  // namespace
}  // namespace plimsoll::runtime
