#include <gmock/gmock.h>

#include <plimsoll/balance/overview.hpp>

#include "balance/database/dataset_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;

TEST(RecordedBalancing, AddsPhasesWithAStrategy) {
  DatasetFactory factory(2);
  const auto record = [&](std::int64_t phase, const char* user_defined) {
    for (std::size_t rank = 0; rank < 2; ++rank) factory.record(rank, phase).user_defined = user_defined;
  };
  record(0, R"({"time":{"objects":1}})");
  record(1, R"({"lb_name":"RefineLB","lb_time":0.5,"migration_count":3,"migration_time":0.25})");
  record(2, R"({"lb_name":"GreedyLB","lb_time":1,"migration_count":0,"migration_time":0})");
  record(3, R"({"lb_name":"RefineLB","lb_time":0.5,"migration_count":4,"migration_time":1})");
  const RecordedBalancing all = recorded_balancing(factory.dataset, std::vector<std::int64_t>{0, 1, 2, 3, 9});
  EXPECT_THAT(all.strategies, ElementsAre("RefineLB", "GreedyLB"));
  EXPECT_EQ(all.n_phases, 3);
  EXPECT_EQ(all.n_migrations, 7);
  EXPECT_EQ(all.decision_s, 2);
  EXPECT_EQ(all.migration_s, 1.25);
  EXPECT_EQ(recorded_balancing(factory.dataset, std::vector<std::int64_t>{0, 1}).n_migrations, 3);
}

TEST(RecordedBalancing, ListsBalancedPhases) {
  DatasetFactory factory(1);
  factory.record(0, 0).user_defined =
      R"({"lb_name":"RefineLB","lb_time":0.5,"lb_predicted_gain":2.5,"migration_count":3,"migration_time":0.25})";
  factory.record(0, 1).user_defined = "{}";
  factory.record(0, 2).user_defined = R"({"lb_name":"GreedyLB","migration_count":0})";
  const std::vector<BalancedPhase> phases =
      balanced_phases(factory.dataset, std::vector<std::int64_t>{0, 1, 2});
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].phase, 0);
  EXPECT_EQ(phases[0].strategy, "RefineLB");
  EXPECT_EQ(phases[0].n_migrations, 3);
  EXPECT_EQ(phases[0].predicted_gain_s, 2.5);
  EXPECT_EQ(phases[1].phase, 2);
  EXPECT_EQ(phases[1].predicted_gain_s, std::nullopt);
}

TEST(RecordedBalancing, SkipsValuesOfThePrograms) {
  DatasetFactory factory(1);
  factory.record(0, 0).user_defined = R"({"lb_name":3,"migration_count":5})";
  factory.record(0, 1).user_defined = R"({"lb_name":"mine"})";
  factory.record(0, 2).user_defined = R"({"lb_name":"mine","migration_count":-1})";
  const RecordedBalancing none = recorded_balancing(factory.dataset, std::vector<std::int64_t>{0, 1, 2});
  EXPECT_EQ(none.n_phases, 0);
  EXPECT_EQ(recorded_balancing({}, {}).n_phases, 0);
}

}  // namespace
}  // namespace plimsoll::balance
