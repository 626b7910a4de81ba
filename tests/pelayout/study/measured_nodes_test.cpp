#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/pelayout/measured_nodes.hpp>

#include "common/temporary_folder.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::HasSubstr;

/// Returns a request for a layout of four components, of which three may run concurrently, with a run on
/// nodes of 128 tasks.
StudyRequest request_with_run(const std::vector<std::int64_t>& totals) {
  StudyRequest request;
  request.problem.components = {testing::example_atm(), testing::example_ocn(), testing::example_lnd(),
                                testing::example_ice()};
  request.layout = "((ICE | LND) ; ATM) | OCN";
  request.totals = totals;
  TimingFile run;
  run.path = "cases/a/timing/cesm_timing.1";
  run.processors_per_node = 128;
  request.runs = {run};
  return request;
}

TEST(MeasuredNodes, AreThoseOfTheRuns) {
  const MeasuredNodes found = measured_nodes(request_with_run({512, 1024}));
  ASSERT_TRUE(found.nodes);
  EXPECT_EQ(found.nodes->tasks_per_node, 128);
  EXPECT_FALSE(found.nodes->shared);
  EXPECT_EQ(found.remark, "128 tasks per node, from cases/a/timing/cesm_timing.1");
  StudyRequest unknown = request_with_run({512});
  unknown.runs.front().processors_per_node.reset();
  EXPECT_FALSE(measured_nodes(unknown).nodes);
  EXPECT_EQ(measured_nodes(unknown).remark, "");
}

TEST(MeasuredNodes, SuitTotalsOfWholeNodes) {
  const MeasuredNodes found = measured_nodes(request_with_run({512, 1000}));
  EXPECT_FALSE(found.nodes);
  EXPECT_EQ(found.remark,
            "nodes of 128 tasks, from cases/a/timing/cesm_timing.1, are ignored: the total 1,000 is not a "
            "whole number of nodes");
}

// ICE, LND and OCN need a node each; with at least 129 tasks, OCN needs two.
TEST(MeasuredNodes, SuitTotalsWithANodeForEachConcurrentPart) {
  EXPECT_THAT(measured_nodes(request_with_run({256})).remark,
              HasSubstr("are ignored: the layout needs 3 nodes, but the total has 2"));
  EXPECT_TRUE(measured_nodes(request_with_run({384})).nodes);
  EXPECT_TRUE(measured_nodes(request_with_run({128, 384})).nodes) << "the largest total decides";
  const plimsoll::testing::TemporaryFolder folder;
  StudyRequest request = request_with_run({384});
  request.layout =
      folder.write("mine.yaml", "layout: ((ICE | LND) ; ATM) | OCN\ncomponents:\n  OCN:\n    min: 129\n");
  EXPECT_THAT(measured_nodes(request).remark, HasSubstr("the layout needs 4 nodes, but the total has 3"));
}

TEST(MeasuredNodes, SuitThreadsThatShareANode) {
  StudyRequest request = request_with_run({1024});
  request.problem.components[0].samples[0].threads = 3;
  EXPECT_TRUE(measured_nodes(request).nodes) << "the other thread counts divide a node";
  for (Sample& sample : request.problem.components[0].samples) sample.threads = 3;
  request.problem.components[1].samples[0].threads = 2;
  EXPECT_THAT(measured_nodes(request).remark, HasSubstr("the threads of a task of ATM do not fit"));
}

TEST(MeasuredNodes, AreIgnoredAsInToolOfCime) {
  StudyRequest request = request_with_run({512});
  request.plan.exact_sum = true;
  EXPECT_FALSE(measured_nodes(request).nodes);
  request.plan = {.model = ModelKind::cime};
  EXPECT_FALSE(measured_nodes(request).nodes);
  request.plan = {};
  request.layout = "./solver";
  EXPECT_FALSE(measured_nodes(request).nodes);
}

TEST(MeasuredNodes, AreIgnoredIfRunsDiffer) {
  StudyRequest request = request_with_run({512});
  request.runs.push_back(request.runs.front());
  request.runs.back().processors_per_node = 36;
  request.runs.back().processors = 360;
  EXPECT_FALSE(measured_nodes(request).nodes);
  EXPECT_THAT(
      measured_nodes(request).remark,
      HasSubstr("nodes are ignored: cases/a/timing/cesm_timing.1: different numbers of tasks per node"));
}

}  // namespace
}  // namespace plimsoll::pelayout
