#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include <plimsoll/pelayout/problem.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/gzip_bytes.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Problem problem_in(const std::string& json) {
  return parse_problem(json, "p.json");
}

void expect_equal(const Problem& a, const Problem& b) {
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.layout, b.layout);
  EXPECT_EQ(a.total_tasks, b.total_tasks);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.coupler, b.coupler);
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.processors_per_node, b.processors_per_node);
  EXPECT_EQ(a.shares_nodes, b.shares_nodes);
  EXPECT_EQ(a.kinds_of_nodes, b.kinds_of_nodes);
}

TEST(ProblemJson, KeepsNodes) {
  Problem problem = read_problem(testing::own_path("cime/example.json"));
  EXPECT_FALSE(problem.processors_per_node.has_value());
  problem.processors_per_node = 64;
  problem.shares_nodes = true;
  EXPECT_THAT(to_json(problem), HasSubstr("\"tasks_per_node\": 64,\n    \"node_sharing\": \"yes\""));
  expect_equal(problem_in(to_json(problem)), problem);
  problem.shares_nodes = false;
  expect_equal(problem_in(to_json(problem)), problem);
  const std::string atm = R"("ATM": {"ntasks": [1], "cost": [1]})";
  EXPECT_ERROR(problem_in("{" + atm + R"(, "node_sharing": "maybe"})"), bad_input, "use \"yes\" or \"no\"");
  EXPECT_ERROR(problem_in("{" + atm + R"(, "tasks_per_node": 0})"), bad_input, "/tasks_per_node");
}

TEST(ProblemJson, KeepsCoupler) {
  const std::string atm = R"("ATM": {"ntasks": [1], "cost": [1]})";
  const Problem problem = problem_in("{" + atm + R"(, "coupler": "oasis"})");
  EXPECT_EQ(problem.coupler, Coupler::oasis);
  expect_equal(problem_in(to_json(problem)), problem);
  EXPECT_ERROR(problem_in("{" + atm + R"(, "coupler": "x"})"), bad_input,
               R"(unknown coupler "x"; use "driver", "oasis" or "fms")");
}

TEST(ProblemJson, KeepsKindsOfNodes) {
  const std::string atm = R"("ATM": {"ntasks": [1], "cost": [1], "on": "gpu"})";
  const std::string gpu = R"({"name": "gpu", "nodes": 84, "tasks_per_node": 4})";
  const std::string cpu = R"({"name": "cpu", "nodes": 80, "tasks_per_node": 128})";
  const auto with = [&](const std::string& kinds) {
    return "{" + atm + R"(, "partition": [)" + kinds + "]}";
  };
  const Problem problem = problem_in(with(gpu + "," + cpu));
  ASSERT_THAT(problem.kinds_of_nodes, SizeIs(2));
  EXPECT_EQ(problem.kinds_of_nodes[0], (KindOfNodes{"gpu", 84, 4}));
  EXPECT_EQ(problem.find("ATM")->on, "gpu");
  expect_equal(problem_in(to_json(problem)), problem);
  EXPECT_ERROR(problem_in(with(gpu)), bad_input, "/partition: expected two kinds of nodes");
  EXPECT_ERROR(problem_in(with(gpu + "," + gpu)), bad_input, "with different names");
  EXPECT_ERROR(problem_in("{" + atm + "}"), bad_input, R"(unknown kind of nodes "gpu" of ATM)");
  EXPECT_ERROR(problem_in(with(cpu + R"(, {"name": "gpu", "nodes": 1000000000, "tasks_per_node": 4})")),
               bad_input, "too many tasks");
  EXPECT_ERROR(problem_in(with(cpu + R"(, {"name": "gpu", "nodes": 1})")), bad_input, "tasks_per_node");
}

TEST(ProblemJson, RejectsNumbersThatContradictKindsOfNodes) {
  const auto with = [](const std::string& member) {
    return R"({"ATM": {"ntasks": [4], "cost": [1]}, "partition": [{"name": "a", "nodes": 2, "tasks_per_node": 4},
               {"name": "b", "nodes": 3, "tasks_per_node": 10}], )" +
           member + "}";
  };
  EXPECT_EQ(problem_in(with(R"("totaltasks": 38)")).total_tasks, 38);
  EXPECT_ERROR(problem_in(with(R"("totaltasks": 40)")), bad_input,
               "/totaltasks: invalid total 40: \"partition\" has 38 tasks; remove one of them");
  EXPECT_ERROR(problem_in(with(R"("tasks_per_node": 4)")), bad_input,
               "/tasks_per_node: contradicts \"partition\"");
}

TEST(ProblemJson, ReadsTestProblem) {
  const Problem problem = read_problem(testing::own_path("cime/example.json"));
  EXPECT_THAT(problem.description, HasSubstr("a/n + d"));
  EXPECT_EQ(problem.layout, "IceLndAtmOcn");
  EXPECT_EQ(problem.total_tasks, 1024);
  EXPECT_EQ(problem.unit, CostUnit::seconds_per_day);
  ASSERT_THAT(problem.components, SizeIs(4));
  EXPECT_EQ(problem.find("OCN")->block_size, 8);
  EXPECT_EQ(problem.find("OCN")->model, "");
  EXPECT_THAT(problem.find("OCN")->samples,
              ElementsAre(Sample{16, 1, 80, 1, 80, 80}, Sample{32, 1, 42, 1, 42, 42},
                          Sample{64, 1, 23, 1, 23, 23}, Sample{128, 1, 13.5, 1, 13.5, 13.5}));
  EXPECT_EQ(problem.find("WAV"), nullptr);
  expect_equal(problem_in(to_json(problem)), problem);
}

TEST(ProblemJson, ReadsExampleOfCime) {
  PLIMSOLL_NEED_SHARED("data/cime");
  const Problem problem = read_problem(testing::shared_path("data/cime/example.json"));
  EXPECT_THAT(problem.description, HasSubstr("NTASKS_OCN:   18 TOTAL_COST:  28.749 s/mday)"));
  EXPECT_EQ(problem.layout, "IceLndAtmOcn");
  EXPECT_EQ(problem.total_tasks, 1024);
  EXPECT_EQ(problem.unit, CostUnit::seconds_per_day);
  ASSERT_THAT(problem.components, SizeIs(4));
  const Component& ice = *problem.find("ICE");
  EXPECT_EQ(ice.block_size, 8);
  EXPECT_EQ(ice.model, "");
  EXPECT_THAT(ice.samples,
              ElementsAre(Sample{32, 1, 8.018, 1, 8.018, 8.018}, Sample{64, 1, 4.921, 1, 4.921, 4.921},
                          Sample{160, 1, 2.368, 1, 2.368, 2.368}, Sample{320, 1, 1.557, 1, 1.557, 1.557},
                          Sample{640, 1, 1.429, 1, 1.429, 1.429}));
  EXPECT_EQ(problem.find("ATM")->samples[2].cost, 119.58);
  EXPECT_EQ(problem.find("OCN")->samples[4].cost, 2.651);
  EXPECT_EQ(problem.find("WAV"), nullptr);
}

TEST(ProblemJson, ReadsAtmLndAndWavExamplesOfCime) {
  PLIMSOLL_NEED_SHARED("data/cime");
  const Problem atm_lnd = read_problem(testing::shared_path("data/cime/atmlnd.json"));
  EXPECT_EQ(atm_lnd.layout, "atm_lnd.AtmLnd");
  EXPECT_THAT(atm_lnd.components, SizeIs(6));
  EXPECT_THAT(atm_lnd.find("ROF")->samples, SizeIs(4));
  EXPECT_EQ(atm_lnd.find("CPL")->samples[3].cost, 1);
  const Problem wav = read_problem(testing::shared_path("data/cime/wav.json"));
  EXPECT_EQ(wav.layout, "IceLndWavAtmOcn");
  EXPECT_EQ(wav.find("WAV")->samples[0].tasks, 16);
  EXPECT_EQ(wav.find("WAV")->samples[0].cost, 9.6);
  for (const char* name : {"example", "atmlnd", "wav"}) {
    const Problem problem = read_problem(testing::shared_path("data/cime/" + std::string(name) + ".json"));
    expect_equal(problem_in(to_json(problem)), problem);
  }
}

TEST(ProblemJson, AppliesSingleThreadCountToAllSamples) {
  const std::string start = R"({"ATM": {"ntasks": [64, 32, 16], "cost": [1, 2, 4], "nthrds": )";
  const auto threads = [&](const std::string& list) {
    std::vector<std::int64_t> result;
    const Problem problem = problem_in(start + list + "}}");
    for (const Sample& sample : problem.components[0].samples) result.push_back(sample.threads);
    return result;
  };
  EXPECT_THAT(threads("[2]"), ElementsAre(2, 2, 2));
  EXPECT_THAT(threads("[4, 2]"), ElementsAre(4, 4, 4));
  EXPECT_THAT(threads("[2, 1, 2]"), ElementsAre(1, 2, 2)) << "sorted by threads";
  EXPECT_THAT(problem_in(start + "[2, 1, 2]}}").components[0].samples,
              ElementsAre(Sample{32, 1, 2, 1, 2, 2}, Sample{16, 2, 4, 1, 4, 4}, Sample{64, 2, 1, 1, 1, 1}));
}

TEST(ProblemJson, MatchesOutputOfCimeTool) {
  Problem problem;
  problem.layout = "IceLndAtmOcn";
  problem.total_tasks = 64;
  problem.components = {{"CPL", "", 1, {{2, 1, 324.956, 1, 324.956, 324.956}}},
                        {"ATM", "XATM", 8, {{2, 1, 20, 1, 20, 20}, {4, 1, 10.763, 3, 10.5, 11}}}};
  EXPECT_EQ(to_json(problem), R"({
    "CPL": {
        "cost": [
            324.956
        ],
        "ntasks": [
            2
        ],
        "nthrds": [
            1
        ],
        "blocksize": 1
    },
    "ATM": {
        "cost": [
            20.0,
            10.763
        ],
        "ntasks": [
            2,
            4
        ],
        "nthrds": [
            1,
            1
        ],
        "name": "XATM",
        "blocksize": 8,
        "repeats": [
            1,
            3
        ],
        "least": [
            20.0,
            10.5
        ],
        "greatest": [
            20.0,
            11.0
        ]
    },
    "totaltasks": 64,
    "layout": "IceLndAtmOcn",
    "unit": "seconds_per_day"
}
)");
}

TEST(ProblemJson, RoundTripsItsOutput) {
  Problem problem;
  problem.description = "quotes \" and \\ and {[:,]} and\nlines, \xc3\xa9";
  problem.layout = "((ICE | LND) ; ATM) | OCN";
  problem.unit = CostUnit::total_seconds;
  problem.components = {
      {"ATM", "CAM", 3, {{1, 1, 0.1 + 0.2, 2, 0.1, 1e-300}, {7, 2, 1.0 / 3, 1, 1.0 / 3, 1.0 / 3}}},
      {"IAC", "", 1, {{1, 1, 0, 1, 0, 0}}},
      {"LND", "", 1, {{1, 1, 2, 1, 1, 2}}},
      {"ICE", "", 1, {{1, 1, 2, 1, 2, 3}}},
      {"OCN", "", 1, {{1, 1, 2, 2, 2, 2}}}};
  problem.components[0].samples[0].maximum = 0.5;
  problem.components[0].instances = 3;
  expect_equal(problem_in(to_json(problem)), problem);
  EXPECT_EQ(to_json(problem_in(to_json(problem))), to_json(problem));
  const testing::TemporaryFolder folder;
  expect_equal(read_problem(folder.write("p.json.gz", testing::gzip_bytes(to_json(problem)))), problem);
}

TEST(ProblemJson, AcceptsLowerCaseNamesAndIgnoresUnknownMembers) {
  const Problem problem =
      problem_in(R"({"atm": {"ntasks": [1], "cost": [2], "source": "me"}, "comment": "mine"})");
  EXPECT_EQ(problem.components[0].name, "ATM");
  EXPECT_EQ(problem.components[0].block_size, 1);
}

TEST(ProblemJson, LimitsSizes) {
  std::string numbers = "1";
  for (int k = 0; k < 5000; ++k) numbers += ",1";
  EXPECT_ERROR(problem_in(R"({"ATM": {"cost": [)" + numbers + "]}}"), bad_input,
               "/ATM/cost: contains more than 5000");
  std::string components;
  for (int k = 0; k < 1001; ++k) components += fmt::format(R"("C{}": {{"ntasks": [1], "cost": [1]}},)", k);
  EXPECT_ERROR(problem_in("{" + components + R"("totaltasks": 1})"), bad_input,
               "/C1000: too many components: at most 1000");
}

struct Broken {
  std::string json;
  std::string pointer;
  std::string message;

  friend void PrintTo(const Broken& broken, std::ostream* output) { *output << broken.message; }
};

class BrokenProblem : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenProblem, IsReportedWithPosition) {
  const Broken& broken = GetParam();
  const auto error = error_of([&] { problem_in(broken.json); });
  ASSERT_TRUE(error.has_value()) << broken.json;
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(error->diagnostic().file, "p.json");
  EXPECT_EQ(error->diagnostic().pointer.value_or(""), broken.pointer);
  EXPECT_THAT(error->what(), HasSubstr(broken.message));
}

std::string atm(const std::string& members) {
  return R"({"ATM": {)" + members + "}}";
}

INSTANTIATE_TEST_SUITE_P(
    Json, BrokenProblem,
    ::testing::Values(Broken{"", "", "invalid JSON"}, Broken{"{", "", "invalid JSON"},
                      Broken{"{} {}", "", "invalid JSON"}, Broken{"\xff", "", "invalid JSON"},
                      Broken{std::string(100000, '['), "", "invalid JSON"},
                      Broken{"[]", "", "expected an object"}, Broken{"{}", "", "contains no component"},
                      Broken{R"({"totaltasks": 1024.5})", "/totaltasks", "expected an integer"},
                      Broken{R"({"totaltasks": 0})", "/totaltasks", "invalid value 0"},
                      Broken{R"({"totaltasks": "64"})", "/totaltasks", "expected an integer"},
                      Broken{R"({"totaltasks": 1e400})", "", "invalid JSON"},
                      Broken{R"({"totaltasks": 1, "totaltasks": 2})", "/totaltasks", "duplicate member"},
                      Broken{R"({"total_tasks": 1})", "/total_tasks", "did you mean \"totaltasks\"?"},
                      Broken{R"({"layout": 3})", "/layout", "expected a string"},
                      Broken{R"({"unit": "hours"})", "/unit", "\"hours\""},
                      Broken{R"({"ATM": {}})", "/ATM", "missing member \"ntasks\""},
                      Broken{R"({"A M/~": {}})", "/A M~1~0", "invalid component name"},
                      Broken{R"({"": {}})", "/", "invalid component name"}));

INSTANTIATE_TEST_SUITE_P(
    Components, BrokenProblem,
    ::testing::Values(
        Broken{atm(R"("ntasks": [1])"), "/ATM", "missing member \"cost\""},
        Broken{atm(R"("cost": [1])"), "/ATM", "missing member \"ntasks\""},
        Broken{atm(R"("ntasks": [], "cost": [])"), "/ATM/ntasks", "must not be empty"},
        Broken{atm(R"("ntasks": [1, 2], "cost": [1])"), "/ATM/cost", "1 entries for 2 task counts"},
        Broken{atm(R"("ntasks": [1], "cost": [1, 2])"), "/ATM/cost", "2 entries for 1 task counts"},
        Broken{atm(R"("ntasks": [1, 0], "cost": [1, 2])"), "/ATM/ntasks/1", "invalid value 0"},
        Broken{atm(R"("ntasks": [1, 1.5], "cost": [1, 2])"), "/ATM/ntasks/1", "expected an integer"},
        Broken{atm(R"("ntasks": [9223372036854775808], "cost": [1])"), "/ATM/ntasks/0",
               "invalid value 9223372036854775808"},
        Broken{atm(R"("ntasks": [2, 1, 2], "cost": [1, 2, 3])"), "/ATM/ntasks",
               "duplicate count 2 (with threads: 1)"},
        Broken{atm(R"("ntasks": 1, "cost": [1])"), "/ATM/ntasks", "expected an array"},
        Broken{atm(R"("ntasks": [1], "cost": [-1])"), "/ATM/cost/0", "invalid cost -1"},
        Broken{atm(R"("ntasks": [1], "cost": ["1"])"), "/ATM/cost/0", "expected a number"},
        Broken{atm(R"("ntasks": [1], "cost": [null])"), "/ATM/cost/0", "expected a number"},
        Broken{atm(R"("ntasks": [1], "cost": [1e300])"), "/ATM/cost/0", "must be between 0 and"},
        Broken{atm(R"("ntasks": [1], "cost": [NaN])"), "", "invalid JSON"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "cost": [2])"), "/ATM/cost", "duplicate member"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "nthrds": [])"), "/ATM/nthrds", "0 entries"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "nthrds": [1, 2])"), "/ATM/nthrds", "2 entries"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "nthrds": [0])"), "/ATM/nthrds/0", "invalid value 0"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "blocksize": 0)"), "/ATM/blocksize", "invalid value 0"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "block_size": 8)"), "/ATM/block_size",
               "did you mean \"blocksize\"?"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "repeats": [1, 1])"), "/ATM/repeats", "2 entries"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "least": [2])"), "/ATM/cost/0", "between its minimum 2"},
        Broken{atm(R"("ntasks": [1], "cost": [1], "greatest": [0.5])"), "/ATM/cost/0", "and its maximum 0.5"},
        Broken{R"({"ATM": {"ntasks": [1], "cost": [1]}, "atm": {"ntasks": [1], "cost": [1]}})", "/atm",
               "duplicate component ATM"}));

}  // namespace
}  // namespace plimsoll::pelayout
