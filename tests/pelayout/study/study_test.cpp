#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/pelayout/study.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"
#include "pelayout/study/example_study.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Study, FindsDocumentedOptimum) {
  const Study found = study(testing::example_study());
  EXPECT_NEAR(found.solution.time, 23.943355, 1e-6);
  EXPECT_EQ(found.layout.name, "IceLndAtmOcn");
  EXPECT_EQ(found.solver, "dp");
  EXPECT_EQ(found.total, 1024);
  EXPECT_FALSE(found.counts_threads);
  EXPECT_EQ(found.solution.find("ATM")->tasks, 992);
  EXPECT_THAT(found.values.front(), Pair("COST_ATM", ::testing::DoubleNear(22.567587, 1e-6)));
  EXPECT_THAT(found.values.back(), Pair("NTASKS_TOTAL", 1024));
  EXPECT_EQ(found.models.size(), 4U);
  EXPECT_EQ(found.model("OCN")->block_size, 8);
  EXPECT_EQ(found.model("WAV"), nullptr);
  EXPECT_DOUBLE_EQ(found.core_hours(found.solution, found.solution.time, 1024),
                   core_hours(found.solution.time, 1024));
  EXPECT_FALSE(found.choice.has_value());
  EXPECT_FALSE(found.prediction.has_value());
}

TEST(Study, AnalysesSolutionByDefault) {
  StudyRequest request = testing::example_study();
  const Study whole = study(request);
  EXPECT_EQ(whole.sensitivity->components.size(), 4U);
  EXPECT_FALSE(whole.next_runs->runs.empty());
  request.analysis = false;
  const Study plain = study(request);
  EXPECT_FALSE(plain.sensitivity.has_value());
  EXPECT_FALSE(plain.next_runs.has_value());
  EXPECT_EQ(plain.solution.time, whole.solution.time);
  request.needs_next_runs = true;
  EXPECT_EQ(study(request).next_runs->runs.size(), whole.next_runs->runs.size());
}

TEST(Study, NamesFileOfInvalidLayout) {
  StudyRequest request = testing::example_study();
  request.problem.path = "problem.json";
  request.problem.layout = "(ATM ; OCN";
  EXPECT_ERROR(study(request), bad_input, "problem.json: invalid layout: unmatched ( at character 1");
  request.problem.layout = "IceLndAtmOc";
  EXPECT_ERROR(study(request), bad_input, "problem.json: unknown layout \"IceLndAtmOc\"");
  request.layout = "IceLndAtmOc";
  EXPECT_ERROR(study(request), usage, "unknown layout");
}

TEST(Study, PrefersLayoutAndTotalOfRequest) {
  StudyRequest request = testing::example_study();
  request.problem.layout = "Sequential";
  EXPECT_EQ(study(request).layout.name, "Sequential");
  request.layout = "ATM | OCN";
  request.totals = {512};
  const Study found = study(request);
  EXPECT_EQ(to_string(found.layout.expression), "ATM | OCN");
  EXPECT_EQ(found.total, 512);
  request = testing::example_study();
  request.problem.total_tasks.reset();
  EXPECT_ERROR(study(request), usage, "missing total number of tasks");
}

TEST(Study, PrefersBlockSizesOfRequestToLayoutFile) {
  const TemporaryFolder folder;
  StudyRequest request = testing::example_study();
  request.plan.exact_sum = false;
  request.layout = folder.write("mine.yaml", "layout: ATM | OCN\ncomponents:\n  ATM:\n    blocksize: 100\n");
  EXPECT_EQ(study(request).solution.find("ATM")->tasks % 100, 0);
  request.block_sizes["ATM"] = 64;
  EXPECT_EQ(study(request).solution.find("ATM")->tasks, 960);
}

TEST(Study, ListsComponentsMissingFromLayout) {
  StudyRequest request = testing::example_study();
  request.problem.components.push_back(testing::measured("ROF", {8, 64}, {4, 1}));
  const Study found = study(request);
  ASSERT_EQ(found.left_out.size(), 1U);
  EXPECT_EQ(found.left_out[0].component, "ROF");
  EXPECT_EQ(found.left_out[0].cost, found.model("ROF")->by_threads.at(1)->cost(found.left_out[0].tasks));
}

TEST(Study, ListsModelWarningOnceForAllComponents) {
  StudyRequest request;
  request.problem.components = {testing::measured("ATM", {8}, {4}), testing::measured("OCN", {8}, {2})};
  request.layout = "ATM | OCN";
  request.totals = {64};
  const std::vector<ModelWarning> warnings = study(request).model_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].components, ElementsAre("ATM", "OCN"));
  EXPECT_EQ(warnings[0].warning.what,
            "only one task count was measured (8): perfect scaling of 90 % of its cost is assumed");
}

TEST(Study, ReturnsCostTableOfEachComponent) {
  const Study found = study(testing::example_study());
  const std::vector<CostTable> tables = cost_tables(found);
  ASSERT_EQ(tables.size(), 4U);
  for (const CostTable& table : tables) {
    EXPECT_EQ(table.block_size, 8) << table.component;
    EXPECT_LE(table.processors.back(), 1024) << table.component;
  }
}

TEST(Study, ComparesModelsWithRun) {
  const TemporaryFolder folder;
  StudyRequest request = testing::example_study();
  request.layout = "ATM | OCN";
  request.check = folder.write("timing", plimsoll::testing::TimingText{}.str());
  const Study found = study(request);
  EXPECT_EQ(found.prediction->path, request.check);
  EXPECT_DOUBLE_EQ(found.prediction->components.at(0).predicted, 223.332);
  EXPECT_DOUBLE_EQ(found.prediction->components.at(0).measured, 20.025);
}

}  // namespace
}  // namespace plimsoll::pelayout
