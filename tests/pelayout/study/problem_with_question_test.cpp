#include <gtest/gtest.h>

#include <plimsoll/pelayout/study.hpp>

#include "pelayout/models/example_data.hpp"
#include "pelayout/study/example_study.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(ProblemWithQuestion, ContainsLayoutAndTotalOfRequest) {
  StudyRequest request = testing::example_study();
  EXPECT_EQ(problem_with_question(request, study(request)).layout, "IceLndAtmOcn");
  EXPECT_EQ(problem_with_question(request, study(request)).total_tasks, 1024);
  request.layout = "ATM | OCN";
  request.totals = {512};
  EXPECT_EQ(problem_with_question(request, study(request)).layout, "ATM | OCN");
  EXPECT_EQ(problem_with_question(request, study(request)).total_tasks, 512);
  request.totals = {256, 512};
  EXPECT_EQ(problem_with_question(request, study(request)).total_tasks, 1024)
      << "several totals are not saved";
}

// Both components are four times as fast on twice the tasks, so a sequence is faster than the usual layout.
TEST(ProblemWithQuestion, ContainsChosenLayout) {
  StudyRequest request;
  request.problem.components = {testing::measured("ATM", {32, 64, 128}, {80, 20, 5}),
                                testing::measured("OCN", {32, 64, 128}, {80, 20, 5})};
  request.totals = {128};
  request.plan.model = ModelKind::linear;
  const Study found = study(request);
  EXPECT_NE(found.layout.name, requested_layout(request).name);
  const Problem saved = problem_with_question(request, found);
  const Study again = study({.problem = saved, .plan = request.plan});
  EXPECT_EQ(again.layout.expression, found.layout.expression);
  EXPECT_EQ(again.solution.time, found.solution.time);
}

}  // namespace
}  // namespace plimsoll::pelayout
