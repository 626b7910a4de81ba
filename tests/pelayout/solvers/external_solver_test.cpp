#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include <plimsoll/pelayout/solvers.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"

using namespace plimsoll;
using namespace plimsoll::pelayout;
using plimsoll::testing::measured;
using ::testing::ElementsAre;
using ::testing::Pair;

namespace {

class ExternalSolver : public ::testing::Test {
 protected:
  ExternalSolver() {
    problem_.components = {measured("ATM", {32, 64, 128}, {40, 20, 12}, 8),
                           measured("OCN", {8, 16}, {30, 20}, 4)};
  }

  /// Runs a shell script as the solver for 128 tasks.
  ExternalAnswer run(const std::string& script, double time_limit_s = 60) {
    const std::string path = folder_.write("solver", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return run_external_solver(path, problem_, make_component_models(problem_, ModelKind::linear, 128), 128,
                               time_limit_s);
  }
  ExternalAnswer answer(const std::string& json) {
    folder_.write("answer.json", json);
    return run("cat >/dev/null; cat " + (folder_ / "answer.json"));
  }
  void expect_refused(const std::string& json, const std::string& text) {
    EXPECT_ERROR(answer(json), bad_input, text);
  }

  plimsoll::testing::TemporaryFolder folder_;
  Problem problem_;
};

TEST_F(ExternalSolver, ReportsAnswersWithoutControlCharacters) {
  for (const char* json :
       {R"({"time": "\u001b[2Jred"})", R"({"time": 1, "solution": {"a\u001b[2J\nplimsoll: done": []}})",
        "{\"time\": \x1b[2J}", "\x1b]0;title\x07"}) {
    const auto error = plimsoll::testing::error_of([&] { answer(json); });
    ASSERT_TRUE(error) << json;
    for (const char letter : std::string(error->what()))
      EXPECT_FALSE(std::iscntrl(static_cast<unsigned char>(letter))) << error->what();
  }
}

TEST_F(ExternalSolver, ReceivesProblemAndReturnsAnswer) {
  const ExternalAnswer answer = run("cat >" + (folder_ / "problem.json") +
                                    R"(
echo '{"time": 20.5, "solution": {"COST_TOTAL": 20.5, "NTASKS_OCN": 16, "N1": 3}}')");
  EXPECT_EQ(answer.time, 20.5);
  EXPECT_THAT(answer.values, ElementsAre(Pair("COST_TOTAL", 20.5), Pair("NTASKS_OCN", 16), Pair("N1", 3)));
  EXPECT_TRUE(answer.places.empty());

  const std::string text = folder_.read("problem.json");
  simdjson::dom::parser parser;
  const simdjson::dom::element problem = parser.parse(text);
  EXPECT_EQ(std::int64_t(problem["version"]), 1);
  EXPECT_EQ(std::int64_t(problem["totaltasks"]), 128);
  EXPECT_EQ(std::int64_t(problem["ATM"]["blocksize"]), 8);
  EXPECT_EQ(double(problem["OCN"]["cost"].at(1)), 20);
  // The linear model's points match CIME's: one at 1 task, before the measurements, and one at the total,
  // after them.
  const simdjson::dom::element ocean = problem["models"]["OCN"].at(0);
  EXPECT_EQ(std::int64_t(ocean["threads"]), 1);
  EXPECT_EQ(simdjson::minify(ocean["points"].at(0).value()), "[1,240.0,true]");
  EXPECT_EQ(simdjson::minify(ocean["points"].at(1).value()), "[8,30.0,false]");
  EXPECT_EQ(simdjson::minify(ocean["points"].at(2).value()), "[16,20.0,false]");
  EXPECT_EQ(std::int64_t(ocean["points"].at(3).at(0)), 128);
  EXPECT_EQ(simdjson::dom::array(ocean["points"]).size(), 4U);
}

TEST_F(ExternalSolver, PassesEnoughPointsToInterpolateCosts) {
  const std::string path = folder_.write(
      "solver", "#!/bin/sh\ncat >" + (folder_ / "problem.json") + "\necho '{\"infeasible\": \"\"}'\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const auto expect_close = [&](const Component& data, ModelKind kind) {
    problem_.components = {data};
    const auto models = make_component_models(problem_, kind, 1000);
    EXPECT_ERROR(run_external_solver(path, problem_, models, 1000), bad_input, "no solution");
    const std::string text = folder_.read("problem.json");
    simdjson::dom::parser parser;
    const simdjson::dom::array points = parser.parse(text)["models"]["ATM"].at(0)["points"];
    EXPECT_EQ(std::int64_t(points.at(0).at(0)), 1);
    EXPECT_EQ(std::int64_t(points.at(points.size() - 1).at(0)), 1000);
    for (std::size_t k = 1; k < points.size(); ++k) {
      const std::int64_t before = points.at(k - 1).at(0);
      const std::int64_t after = points.at(k).at(0);
      const std::int64_t middle = (before + after) / 2;
      const double part = double(middle - before) / double(after - before);
      const double line = (1 - part) * double(points.at(k - 1).at(1)) + part * double(points.at(k).at(1));
      EXPECT_NEAR(line, models[0].by_threads.at(1)->cost(middle), 0.01 * line);
    }
  };
  expect_close(measured("ATM", {1}, {1000}), ModelKind::linear);  // scales perfectly: 1000/n
  expect_close(measured("ATM", {32, 64, 128, 256}, {32.5, 16.5, 8.5, 4.5}), ModelKind::fit);  // 1024/n + 0.5
}

TEST_F(ExternalSolver, ReturnsPlacesWithCostsOfComponents) {
  const ExternalAnswer given = answer(R"({"time": 20, "solution": {"T": 20}, "places": [
      {"component": "ATM", "tasks": 64, "root": 0}, {"component": "OCN", "tasks": 16.0, "root": 64, "threads": 1}]})");
  ASSERT_EQ(given.places.size(), 2U);
  EXPECT_EQ(given.places[0].component, "ATM");
  EXPECT_EQ(given.places[0].tasks, 64);
  EXPECT_EQ(given.places[0].blocks, 8);
  EXPECT_EQ(given.places[0].cost, 20);
  EXPECT_EQ(given.places[1].root, 64);
  EXPECT_EQ(given.places[1].processors, 16);
  EXPECT_EQ(given.places[1].end, 20);
}

/// ATM (20) runs after OCN (20) and LND (4), which run concurrently. ICE (7) runs concurrently with all of
/// them.
TEST_F(ExternalSolver, RunsComponentsOnSameProcessorsInSequence) {
  problem_.components.push_back(measured("LND", {48, 96}, {4, 2}));
  problem_.components.push_back(measured("ICE", {64, 96}, {7, 6}));
  const ExternalAnswer given = answer(R"({"time": 40, "solution": {"T": 40}, "places": [
      {"component": "OCN", "tasks": 16, "root": 0}, {"component": "LND", "tasks": 48, "root": 16},
      {"component": "ATM", "tasks": 64, "root": 0}, {"component": "ICE", "tasks": 64, "root": 64}]})");
  ASSERT_EQ(given.places.size(), 4U);
  EXPECT_EQ(given.places[0].start, 0);
  EXPECT_EQ(given.places[1].start, 0);
  EXPECT_EQ(given.places[1].end, 4);
  EXPECT_EQ(given.places[2].start, 20);
  EXPECT_EQ(given.places[2].end, 40);
  EXPECT_EQ(given.places[3].start, 0);
}

TEST_F(ExternalSolver, CountsProcessorsForVaryingThreadCounts) {
  problem_.components.push_back(measured("LND", {8}, {4}));
  problem_.components.back().samples.push_back(measured("LND", {8}, {3}, 1, 2).samples.front());
  const auto with = [&](const std::string& root) {
    return answer(
        R"({"time": 20, "solution": {"T": 20}, "places": [{"component": "LND", "tasks": 8, "threads": 2, "root": )" +
        root + "}]}");
  };
  EXPECT_EQ(with("112").places.at(0).processors, 16);
  EXPECT_EQ(with("112").places.at(0).cost, 3);
  EXPECT_ERROR(with("113"), bad_input, "/places/0: invalid processors 113 to 128: must be between 0 and 127");
}

TEST_F(ExternalSolver, ReportsReasonIfNoSolutionExists) {
  expect_refused(R"({"infeasible": "ATM does not fit"})",
                 "solver: the solver reports no solution: ATM does not fit");
}

TEST_F(ExternalSolver, RejectsInvalidAnswers) {
  expect_refused("", "empty answer");
  expect_refused("NTASKS_ATM = 64", "invalid answer: expected a JSON object");
  expect_refused("[1]", "invalid answer: expected a JSON object");
  expect_refused(R"({"time": 1)", "invalid answer: expected a JSON object");
  expect_refused(R"({"solution": {"T": 1}})", "/time: expected a number");
  expect_refused(R"({"time": "1", "solution": {"T": 1}})", "/time: expected a number");
  expect_refused(R"({"time": -1, "solution": {"T": 1}})", "/time: must be >= 0");
  expect_refused(R"({"time": 1})", "/solution: expected an object");
  expect_refused(R"({"time": 1, "solution": {}})", "/solution: must not be empty");
  expect_refused(R"({"time": 1, "solution": {"T": null}})", "/solution/T: expected a number");
  expect_refused(R"({"infeasible": true})", "/infeasible: expected a string");
}

TEST_F(ExternalSolver, RejectsInvalidPlaces) {
  const auto refused = [&](const std::string& places, const std::string& text) {
    expect_refused(R"({"time": 1, "solution": {"T": 1}, "places": )" + places + "}", text);
  };
  refused("3", "/places: expected an array");
  refused("[3]", "/places/0: expected an object");
  refused(R"([{"tasks": 8, "root": 0}])", "/places/0/component: expected a string");
  refused(R"([{"component": "OCM", "tasks": 8, "root": 0}])",
          "/places/0/component: unknown component \"OCM\"; did you mean \"OCN\"?");
  refused(R"([{"component": "OCN", "root": 0}])", "/places/0/tasks: expected a number");
  refused(R"([{"component": "OCN", "tasks": 0, "root": 0}])",
          "/places/0/tasks: invalid value 0: must be an integer >= 1");
  refused(R"([{"component": "OCN", "tasks": 1.5, "root": 0}])", "/places/0/tasks: invalid value 1.5");
  refused(R"([{"component": "OCN", "tasks": 1e300, "root": 0}])", "/places/0/tasks: invalid value 1e+300");
  refused(R"([{"component": "OCN", "tasks": 8, "root": -1}])", "/places/0/root: invalid value -1");
  refused(R"([{"component": "OCN", "tasks": 8}])", "/places/0/root: expected a number");
  refused(R"([{"component": "OCN", "tasks": 8, "root": 0}, {"component": "OCN", "tasks": 8, "root": 0}])",
          "/places/1: duplicate place of OCN");
  refused(R"([{"component": "OCN", "tasks": 8, "root": 121}])",
          "/places/0: invalid tasks 121 to 128: must be between 0 and 127");
}

TEST_F(ExternalSolver, RejectsTooManyTasks) {
  expect_refused(R"({"time": 1, "solution": {"NTASKS_ATM": 136}})",
                 "/solution/NTASKS_ATM: uses 136 of 128 tasks");
  expect_refused(R"({"time": 1, "solution": {"NTASKS_TOTAL": 129}})", "uses 129 of 128 tasks");
  expect_refused(R"({"time": 1, "solution": {"NTASKS_WAV": 8}})", "unknown component \"WAV\"");
}

TEST_F(ExternalSolver, ReportsFailureOfProgram) {
  EXPECT_ERROR(run("exit 3"), bad_input, "solver: failed with status 3");
  EXPECT_ERROR(run("kill -9 $$"), bad_input, "failed with status 137");
  EXPECT_ERROR(run("sleep 60", 0.2), bad_input, "solver: no answer within 0.2 s");
  EXPECT_ERROR(run("yes"), bad_input, "");
  EXPECT_ERROR(run_external_solver(folder_ / "none", problem_, {}, 128), system, "none");
  EXPECT_ERROR(run_external_solver(folder_.write("plain", ""), problem_, {}, 128), system, "plain");
}

TEST_F(ExternalSolver, AcceptsProgramsThatDoNotReadTheProblem) {
  for (int k = 0; k < 20'000; ++k) problem_.components.push_back(measured("C" + std::to_string(k), {1}, {1}));
  EXPECT_EQ(run(R"(echo '{"time": 1, "solution": {"T": 1}}')").time, 1);
}

TEST(IsExternalSolver, RecognisesPathsAndClasses) {
  ::unsetenv("PLIMSOLL_LAYOUT_PYTHON");
  EXPECT_TRUE(is_external_solver("./solver"));
  EXPECT_TRUE(is_external_solver("/opt/solver.py"));
  EXPECT_FALSE(is_external_solver("layouts/mine.yaml"));
  EXPECT_FALSE(is_external_solver("IceLndAtmOcn"));
  EXPECT_FALSE(is_external_solver("(ICE | LND) ; ATM"));
  EXPECT_FALSE(is_external_solver("my_new_layout.MyNewLayout"));
  ::setenv("PLIMSOLL_LAYOUT_PYTHON", "/opt/plimsoll_layout.py", 1);
  EXPECT_TRUE(is_external_solver("my_new_layout.MyNewLayout"));
  EXPECT_TRUE(is_external_solver("our.layouts.V2"));
  for (const char* text :
       {"IceLndAtmOcn", "mine.yaml", "mine.yml", "a..b", ".a", "a.", "a.2b", "ICE | LND", ""})
    EXPECT_FALSE(is_external_solver(text)) << text;
  ::unsetenv("PLIMSOLL_LAYOUT_PYTHON");
}

TEST_F(ExternalSolver, RunsClassWithRunner) {
  const std::string runner = folder_.write("runner",
                                           "#!/bin/sh\ncat >/dev/null\n"
                                           "echo \"{\\\"time\\\": 1, \\\"solution\\\": {\\\"$1\\\": 2}}\"\n");
  std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
  ::setenv("PLIMSOLL_LAYOUT_PYTHON", runner.c_str(), 1);
  EXPECT_THAT(run_external_solver("a.B", problem_, {}, 128).values, ElementsAre(Pair("a.B", 2)));
  ::unsetenv("PLIMSOLL_LAYOUT_PYTHON");
}

}  // namespace
