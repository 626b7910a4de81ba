// Tests which total a study chooses, and what it costs.
#include <gtest/gtest.h>

#include <plimsoll/pelayout/study.hpp>

#include "common/throws_error.hpp"
#include "pelayout/study/example_study.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(Study, ChoosesBestOfSeveralTotals) {
  StudyRequest request = testing::example_study();
  request.plan.exact_sum = false;
  request.totals = {256, 512, 1024};
  const Study fastest = study(request);
  EXPECT_EQ(fastest.total, 1024);
  EXPECT_EQ(fastest.choice->chosen, 2U);
  EXPECT_EQ(fastest.choice->sweep.points.size(), 3U);
  request.objective = "cost";
  EXPECT_EQ(study(request).total, 256);
  EXPECT_EQ(study(request).choice->objective, "cost");
}

TEST(Study, SweepsUpToSingleTotalForOtherObjectives) {
  StudyRequest request = testing::example_study();
  request.plan.exact_sum = false;
  request.objective = "cost";
  const Study found = study(request);
  EXPECT_LT(found.total, 1024);
  EXPECT_EQ(found.choice->sweep.points.size() + found.choice->sweep.infeasible.size(), 64U);
  request.problem.unit = CostUnit::total_seconds;
  EXPECT_ERROR(study(request), usage, "cannot compare totals: costs must be seconds per model day");
}

TEST(Study, ComparesTotalsOfWholeNodes) {
  StudyRequest request = testing::example_study();
  request.plan = {.model = ModelKind::linear, .nodes = Nodes{.tasks_per_node = 64}};
  request.objective = "cost";
  const Study found = study(request);
  ASSERT_TRUE(found.choice.has_value());
  EXPECT_EQ(found.choice->sweep.points.back().total, 1024);
  for (const SweepPoint& point : found.choice->sweep.points) {
    EXPECT_EQ(point.total % 64, 0);
    EXPECT_DOUBLE_EQ(point.core_hours, core_hours(point.time, point.total));
  }
  request.problem.total_tasks = 1000;
  EXPECT_ERROR(study(request), usage, "the total 1,000 is not a whole number of nodes of 64 tasks");
}

TEST(Study, ChargesWholeNodes) {
  StudyRequest request = testing::example_study();
  request.problem.total_tasks = 1000;
  request.plan = {.model = ModelKind::linear, .nodes = Nodes{.tasks_per_node = 64, .shared = true}};
  const Study found = study(request);
  EXPECT_DOUBLE_EQ(found.core_hours(found.solution, found.solution.time, 1000),
                   core_hours(found.solution.time, 1024));
}

TEST(Study, RejectsTotalsThatContradictKindsOfNodes) {
  StudyRequest request = testing::example_study();
  request.plan = {.partitions = {{.name = "gpu", .n_nodes = 4, .nodes = {.tasks_per_node = 4}},
                                 {.name = "cpu", .n_nodes = 8, .nodes = {.tasks_per_node = 64}}},
                  .placed_on = {{"ATM", "gpu"}}};
  request.totals = {4 * 4 + 8 * 64};
  const Study found = study(request);
  EXPECT_LE(found.solution.find("ATM")->tasks, 16);
  EXPECT_EQ(found.solution.find("OCN")->partition, 1U);
  request.objective = "cost";
  EXPECT_ERROR(study(request), usage, "two kinds of nodes determine the total");
  request.objective = "time";
  request.totals = {1024};
  EXPECT_ERROR(study(request), usage, "two kinds of nodes determine the total");
}

}  // namespace
}  // namespace plimsoll::pelayout
