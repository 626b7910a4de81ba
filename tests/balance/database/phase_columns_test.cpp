#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/dataset_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const lbdata::Dataset& dataset, const PhaseColumns& columns) {
  const auto error = plimsoll::testing::error_of([&] { load_phase(dataset, 0, columns); });
  return error ? error->what() : "accepted";
}

TEST(PhaseColumns, AreEmptyUnlessRequested) {
  DatasetFactory factory(1);
  factory.task(0, 1, 1, true, 0, R"({"task_footprint_bytes":5,"gpu":1})");
  const LDStats stats = load_phase(factory.dataset, 0).stats;
  EXPECT_TRUE(stats.memory.empty());
  EXPECT_TRUE(stats.more_loads.empty());
  EXPECT_TRUE(stats.positions.empty());
  EXPECT_EQ(stats.procs[0].node, -1);
}

TEST(PhaseColumns, ContainMemoryOfObjectsAndRanks) {
  DatasetFactory factory(2);
  factory.task(0, 1, 1, true, 0,
               R"({"task_footprint_bytes":5.0,"task_working_bytes":6,"task_serialized_bytes":7,
                   "rank_working_bytes":100,"shared_id":3,"shared_bytes":50.0,"home_rank":1.0})");
  factory.task(0, 2, 1);
  factory.task(1, 3, 1, true, 0, R"({"shared_id":3,"shared_bytes":50.0,"rank_working_bytes":null})");
  factory.task(1, 4, 1, true, 0, R"({"shared_id":-1,"shared_bytes":50.0})");
  const LDStats stats = load_phase(factory.dataset, 0, {.memory = true}).stats;
  EXPECT_EQ(stats.memory[0].footprint_bytes, 5);
  EXPECT_EQ(stats.memory[0].working_bytes, 6);
  EXPECT_EQ(stats.memory[0].serialized_bytes, 7);
  EXPECT_EQ(stats.memory[0].migration_bytes(), 7);
  EXPECT_EQ(stats.memory[1].migration_bytes(), 0);
  EXPECT_EQ(stats.procs[0].rank_working_bytes, 100);
  EXPECT_EQ(stats.procs[1].rank_working_bytes, 0);
  ASSERT_EQ(stats.blocks.size(), 1u);  // home rank 1 for both objects
  EXPECT_EQ(stats.blocks[0].home, 1);
  EXPECT_EQ(stats.blocks[0].bytes, 50);
  EXPECT_EQ(stats.memory[0].block, 0u);
  EXPECT_EQ(stats.memory[2].block, 0u);
  EXPECT_EQ(stats.memory[1].block, ObjMemory::no_block);
  EXPECT_EQ(stats.memory[3].block, ObjMemory::no_block);
}

TEST(PhaseColumns, ContainUserDefinedLoads) {
  DatasetFactory factory(1);
  factory.task(0, 1, 1, true, 0, R"({"gpu":2.5,"pixels":7})");
  factory.task(0, 2, 1, true, 0, R"({"pixels":8})");
  const LDStats stats = load_phase(factory.dataset, 0, {.load_dimensions = {"gpu", "pixels"}}).stats;
  ASSERT_EQ(stats.more_loads.size(), 2u);
  EXPECT_EQ(stats.more_loads[0].name, "gpu");
  EXPECT_THAT(stats.more_loads[0].of_object, ElementsAre(2.5, 0));
  EXPECT_THAT(stats.more_loads[1].of_object, ElementsAre(7, 8));
}

TEST(PhaseColumns, ContainLoadsInAttributes) {
  DatasetFactory factory(1);
  factory.task(0, 1, 1);
  factory.task(0, 2, 1, true, 0, R"({"cpu_time":3})");
  factory.record(0).tasks.attributes.add(0, R"({"cpu_time":2.5})");
  factory.record(0).tasks.attributes.add(1, R"({"cpu_time":4})");
  const LDStats stats = load_phase(factory.dataset, 0, {.load_dimensions = {"cpu_time"}}).stats;
  EXPECT_THAT(stats.more_loads[0].of_object, ElementsAre(2.5, 3)) << "user_defined takes precedence";
}

/// Adds a task that cannot migrate, such as the rank object, with attributes.
void add_rank_object(DatasetFactory& factory, std::size_t rank, std::int64_t phase,
                     std::string_view attributes) {
  factory.task(rank, 100 + rank, 1, false, phase);
  lbdata::Tasks& tasks = factory.record(rank, phase).tasks;
  tasks.attributes.add(static_cast<std::uint32_t>(tasks.size() - 1), attributes);
}

TEST(PhaseColumns, ContainTheMedianBackgroundLoadOfThreePhases) {
  DatasetFactory factory(2);
  const char* const attributes[] = {R"({"background_load":9.0})", R"({"background_load":2.0})",
                                    R"({"background_load":7.0})",
                                    R"({"background_load":4.0,"idle_time":1.0})"};
  for (std::int64_t phase = 0; phase < 4; ++phase) {
    factory.task(0, 1, 1, true, phase);
    add_rank_object(factory, 0, phase, attributes[phase]);
    add_rank_object(factory, 1, phase, R"({"background_time":5.0})");
  }
  const auto loads_in = [&](std::int64_t phase, bool background = true) {
    const LDStats stats = load_phase(factory.dataset, phase, {.background = background}).stats;
    return std::vector{static_cast<double>(stats.procs[0].bg_walltime),
                       static_cast<double>(stats.procs[1].bg_walltime)};
  };
  EXPECT_THAT(loads_in(0), ElementsAre(9, 0));
  EXPECT_THAT(loads_in(1), ElementsAre(2, 0));  // the lower one of 9 and 2
  EXPECT_THAT(loads_in(2), ElementsAre(7, 0));
  EXPECT_THAT(loads_in(3), ElementsAre(4, 0));
  EXPECT_THAT(loads_in(3, false), ElementsAre(0, 0));
}

TEST(PhaseColumns, RejectInvalidBackgroundLoads) {
  DatasetFactory factory(1);
  add_rank_object(factory, 0, 0, R"({"background_load":-1.0})");
  EXPECT_THAT(refusal(factory.dataset, {.background = true}),
              HasSubstr("attributes of task 0 of rank 0 in phase 0: invalid value -1"));
}

TEST(PhaseColumns, ReadPositionsFromRequestedField) {
  DatasetFactory factory(1);
  factory.task(0, 1, 1, false);
  factory.task(0, 2, 1, true, 0, R"({"centre":[1.5,2]})");
  const LDStats stats = load_phase(factory.dataset, 0, {.position_field = "centre"}).stats;
  EXPECT_EQ(stats.n_axes, 2u);
  EXPECT_THAT(stats.position(0), ElementsAre(0, 0));
  EXPECT_THAT(stats.position(1), ElementsAre(1.5, 2));
}

TEST(PhaseColumns, ReadPositionsFromIndices) {
  DatasetFactory factory(1);
  lbdata::Entity entity;
  entity.id = lbdata::WideInteger{1};
  entity.home = 0;
  entity.migratable = true;
  const std::vector<std::int64_t> index = {4, -1, 6'000'000'000};
  entity.index = index;
  factory.task(0, 2, 1);
  factory.record(0).tasks.entity[0] = factory.dataset.entities.intern(entity);
  const LDStats stats = load_phase(factory.dataset, 0, {.positions = true}).stats;
  EXPECT_THAT(stats.position(0), ElementsAre(4, -1, 6e9));
}

TEST(PhaseColumns, ReportRanksThatShareANode) {
  DatasetFactory factory(4);
  for (std::size_t rank = 0; rank < 4; ++rank) factory.task(rank, rank, 1);
  factory.dataset.ranks[2].metadata.shared_node =
      lbdata::SharedNode{.id = 1, .size = 2, .rank = 0, .num_nodes = 2};
  EXPECT_EQ(load_phase(factory.dataset, 0).stats.procs[2].node, 1);
  const LDStats stats = load_phase(factory.dataset, 0, {.ranks_per_node = 3}).stats;
  EXPECT_EQ(stats.procs[2].node, 0);
  EXPECT_EQ(stats.procs[3].node, 1);
}

TEST(PhaseColumns, RejectInvalidSizesAndPositions) {
  const auto with = [](const char* user_defined) {
    DatasetFactory factory(1);
    factory.task(0, 1, 1, true, 0, R"({"centre":[1,2],"gpu":1})");
    factory.task(0, 2, 1, true, 0, user_defined);
    return factory.dataset;
  };
  const PhaseColumns memory = {.memory = true};
  EXPECT_THAT(refusal(with(R"({"task_footprint_bytes":-1})"), memory),
              HasSubstr("task 1 of rank 0 in phase 0"));
  EXPECT_THAT(refusal(with(R"({"task_working_bytes":"much"})"), memory), HasSubstr("is not a number"));
  EXPECT_THAT(refusal(with(R"({"shared_id":1,"home_rank":1})"), memory),
              HasSubstr("the data set has 1 ranks"));
  EXPECT_THAT(refusal(with(R"({"shared_id":1.5})"), memory), HasSubstr("expected an integer below 2^53"));
  EXPECT_THAT(refusal(with(R"({"shared_id":9223372036854775808})"), memory),
              HasSubstr("expected an integer below 2^53"));
  EXPECT_THAT(refusal(with(R"({"shared_id":1,"home_rank":0.5})"), memory),
              HasSubstr("expected an integer below 2^53"));
  EXPECT_THAT(refusal(with(R"([1])"), memory),
              HasSubstr("user data of task 1 of rank 0 in phase 0: expected a JSON object"));
  EXPECT_THAT(refusal(with(R"({"gpu":-0.5})"), {.load_dimensions = {"gpu"}}), HasSubstr("must be >= 0"));
  EXPECT_THAT(refusal(with("{}"), {.load_dimensions = {"gpus"}}),
              HasSubstr("no task of phase 0 has \"gpus\""));
  EXPECT_THAT(refusal(with("{}"), {.position_field = "center"}), HasSubstr("has \"center\""));
  EXPECT_THAT(refusal(with(R"({"centre":[1,2,3]})"), {.position_field = "centre"}),
              HasSubstr("3 coordinates, but other positions have 2"));
  EXPECT_THAT(refusal(with(R"({"centre":["a"]})"), {.position_field = "centre"}),
              HasSubstr("array of numbers"));
}

}  // namespace
}  // namespace plimsoll::balance
