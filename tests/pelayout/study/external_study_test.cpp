// Tests studies by an external solver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <plimsoll/pelayout/study.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/study/example_study.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Writes a shell script that answers with a JSON text, and returns its path.
std::string external_solver(const TemporaryFolder& folder, const std::string& answer) {
  std::string path = folder.write("solver", "#!/bin/sh\ncat >/dev/null\necho '" + answer + "'\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(Study, CallsExternalSolver) {
  const TemporaryFolder folder;
  StudyRequest request = testing::example_study();
  request.plan = {};
  request.layout = external_solver(
      folder,
      R"({"time": 12.5, "solution": {"Natm": 8}, "places": [{"component": "ATM", "tasks": 8, "root": 4}]})");
  const Study found = study(request);
  EXPECT_EQ(found.solver, request.layout);
  EXPECT_EQ(found.layout.name, request.layout);
  EXPECT_EQ(found.solution.time, 12.5);
  EXPECT_EQ(found.solution.processors, 12);
  EXPECT_THAT(found.values, ElementsAre(Pair("Natm", 8)));
  EXPECT_EQ(found.left_out.size(), 3U) << "all except ATM";
  EXPECT_FALSE(found.sensitivity.has_value());
  EXPECT_FALSE(found.next_runs.has_value());
}

TEST(Study, RejectsRequestsUnsupportedByExternalSolver) {
  const auto refused = [](auto change) {
    StudyRequest request = testing::example_study();
    request.plan = {};
    request.layout = "./solver";
    change(request);
    return request;
  };
  const char* text = "cannot be used with an external solver";
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.totals = {8, 16}; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.objective = "cost"; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.check = "timing"; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.plan.exact_sum = true; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.needs_next_runs = true; })), usage, text);
  EXPECT_THAT(unsupported_parts(refused([](StudyRequest& request) {
                request.check = "timing";
                request.needs_next_runs = true;
              })),
              ElementsAre(StudyPart::next_runs, StudyPart::check));
  EXPECT_THAT(unsupported_parts(refused([](StudyRequest& request) {
                request.layout = "ATM | OCN";
                request.plan.exact_sum = true;
              })),
              IsEmpty());
}

TEST(Study, RejectsExternalSolverSpecifiedInFile) {
  const TemporaryFolder folder;
  StudyRequest request = testing::example_study();
  request.problem.layout = external_solver(folder, "{}");
  request.problem.path = "evil.json";
  EXPECT_ERROR(study(request), bad_input, "evil.json: the layout \"" + *request.problem.layout);
}

TEST(Study, RejectsNodesWithExternalSolver) {
  const TemporaryFolder folder;
  StudyRequest request = testing::example_study();
  request.plan = {.nodes = Nodes{.tasks_per_node = 64}};
  request.layout = external_solver(folder, R"({"time": 1})");
  EXPECT_ERROR(study(request), usage, "a number of tasks per node cannot be used with an external solver");
  request.plan = {.partitions = {{.name = "gpu"}, {.name = "cpu"}}};
  EXPECT_ERROR(study(request), usage, "two kinds of nodes cannot be used with an external solver");
}

}  // namespace
}  // namespace plimsoll::pelayout
