#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>

#include <plimsoll/lbdata/data_specification.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::shared_path;

std::string specified_phase_text(const Dataset& dataset, std::size_t rank) {
  return to_json(dataset.ranks.at(rank).phases.at(0), RecordTables(dataset));
}

TEST(DataSpecification, DescribesTasksEdgesAndSharedBlocks) {
  const Dataset dataset = parse_data_specification(R"(
tasks:
  - 0.5
  - {time: 2, collection_id: 15, migratable: false, home: 0, user_defined: {task_footprint_bytes: 1.0e+3, n: 4}}
  - {time: 0.25}
ranks:
  0: {tasks: [2, 0]}
  1: [1]
  2: {tasks: []}
communications:
  - {from: 1, to: 0, size: 100.0, messages: 4}
shared_blocks:
  4: {size: 64, home_rank: 2, tasks: [0, 1]}
)",
                                                   "spec.yaml", {.ranks_per_node = 2, .seed = 3});
  ASSERT_EQ(dataset.ranks.size(), 3U);
  EXPECT_EQ(
      specified_phase_text(dataset, 0),
      R"({"id":0,"tasks":[)"
      R"({"entity":{"collection_id":7,"home":0,"migratable":true,"seq_id":2,"type":"object"},"node":0,)"
      R"("resource":"cpu","time":0.25},)"
      R"({"entity":{"collection_id":7,"home":0,"migratable":true,"seq_id":0,"type":"object"},"node":0,)"
      R"("resource":"cpu","time":0.5,"user_defined":{"home_rank":2,"shared_bytes":64.0,"shared_id":4}}]})");
  EXPECT_EQ(
      specified_phase_text(dataset, 1),
      R"({"communications":[{"bytes":100.0,)"
      R"("from":{"collection_id":15,"home":0,"migratable":false,"seq_id":1,"type":"object"},"messages":4,)"
      R"("to":{"collection_id":7,"home":0,"migratable":true,"seq_id":0,"type":"object"},)"
      R"("type":"SendRecv"}],"id":0,"tasks":[)"
      R"({"entity":{"collection_id":15,"home":0,"migratable":false,"seq_id":1,"type":"object"},"node":1,)"
      R"("resource":"cpu","time":2.0,"user_defined":{"task_footprint_bytes":1000.0,"n":4,"home_rank":2,)"
      R"("shared_bytes":64.0,"shared_id":4}}]})");
  EXPECT_EQ(specified_phase_text(dataset, 2), R"({"id":0,"tasks":[]})");
  EXPECT_EQ(to_json(dataset.ranks[2].metadata),
            R"({"attributes":{"generator":"plimsoll","seed":3},)"
            R"("phases":{"identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[],"range":[]}},)"
            R"("rank":2,"shared_node":{"id":1,"num_nodes":2,"rank":0,"size":1},"type":"LBDatafile"})");
}

/// Returns the shared blocks of the tasks: task, then number, size and home of the block.
std::map<std::uint64_t, std::vector<double>> blocks_of(const Dataset& dataset) {
  std::map<std::uint64_t, std::vector<double>> blocks;
  simdjson::dom::parser parser;
  for (const RankData& rank : dataset.ranks) {
    const Tasks& tasks = rank.phases.at(0).tasks;
    for (std::size_t k = 0; k < tasks.user_defined.size(); ++k) {
      const auto data = parser.parse(simdjson::padded_string(tasks.user_defined.text(k)));
      auto& block = blocks[dataset.entities.number(tasks.entity[tasks.user_defined.row(k)]).bits];
      for (const char* key : {"shared_id", "shared_bytes", "home_rank"}) {
        const simdjson::dom::element value = data[key].value();
        block.push_back(value.is_double() ? value.get_double().value()
                                          : static_cast<double>(value.get_int64().value()));
      }
    }
  }
  return blocks;
}

/// Returns a phase without the user data of its tasks, as text.
std::string text_without_user_data(Dataset dataset, std::size_t rank) {
  dataset.ranks.at(rank).phases.at(0).tasks.user_defined = {};
  return specified_phase_text(dataset, rank);
}

void expect_same_content(const Dataset& left, const Dataset& right) {
  ASSERT_EQ(left.ranks.size(), right.ranks.size());
  for (std::size_t rank = 0; rank < left.ranks.size(); ++rank)
    EXPECT_EQ(text_without_user_data(left, rank), text_without_user_data(right, rank));
  EXPECT_EQ(blocks_of(left), blocks_of(right));
}

// The files of the examples were made by LBAF.
TEST(DataSpecification, GivesTheSameDataAsLbaf) {
  PLIMSOLL_NEED_SHARED("data/lb/ccm_example/ccm_example.yaml");
  expect_same_content(read_data_specification(shared_path("data/lb/ccm_example/ccm_example.yaml")),
                      read(find_rank_files({shared_path("data/lb/ccm_example")})).dataset);
}

TEST(DataSpecification, AcceptsJson) {
  PLIMSOLL_NEED_SHARED("data/lb/ccm_example");
  const std::string json =
      R"({"tasks": [2.0, {"time": 3.5}, 5.0], "ranks": {"0": {"tasks": [0, 1]}, "1": {"tasks": [2]}},)"
      R"( "communications": [{"size": 10000.0, "from": 0, "to": 2}, {"size": 15000.0, "from": 1, "to": 2},)"
      R"( {"size": 20000.0, "from": 2, "to": 1}, {"size": 25000.0, "from": 0, "to": 1}], "shared_blocks":)"
      R"( [{"size": 10000.0, "home": 0, "tasks": [0, 1]}, {"size": 15000.0, "home": 1, "tasks": [2]}]})";
  expect_same_content(parse_data_specification(json, "spec.json"),
                      read(find_rank_files({shared_path("data/lb/ccm_example")})).dataset);
}

TEST(DataSpecification, DrawsRandomLoadsAndSizes) {
  std::string text = "ranks: [[";
  for (int task = 0; task < 1000; ++task) text += (task > 0 ? "," : "") + std::to_string(task);
  text += "]]\ntasks:\n";
  for (int task = 0; task < 1000; ++task)
    text += task % 2 == 0 ? "  - time: {name: uniform, parameters: [1, 3]}\n"
                          : "  - time: {name: lognormal, parameters: [2, 0.25]}\n";
  text += "communications: [{from: 0, to: 1, size: {name: uniform, parameters: [100, 101]}}]";
  const Dataset dataset = parse_data_specification(text, "spec.yaml", {.seed = 5});
  const PhaseRecord& phase = dataset.ranks[0].phases[0];
  std::vector<double> uniform;
  std::vector<double> lognormal;
  for (std::size_t task = 0; task < phase.tasks.size(); ++task)
    (task % 2 == 0 ? uniform : lognormal).push_back(phase.tasks.time_s[task]);
  const Statistics first(uniform);
  EXPECT_GE(first.minimum(), 1);
  EXPECT_LE(first.maximum(), 3);
  EXPECT_NEAR(first.average(), 2, 0.1);          // standard error 0.026
  EXPECT_NEAR(first.variance(), 1.0 / 3, 0.06);  // (3 - 1)^2 / 12
  const Statistics second(lognormal);
  EXPECT_GT(second.minimum(), 0);
  EXPECT_NEAR(second.average(), 2, 0.1);
  EXPECT_NEAR(second.variance(), 0.25, 0.08);
  EXPECT_GE(phase.communications->bytes[0], 100);
  EXPECT_LE(phase.communications->bytes[0], 101);
  EXPECT_TRUE(parse_data_specification(text, "spec.yaml", {.seed = 5}) == dataset);
  EXPECT_FALSE(parse_data_specification(text, "spec.yaml", {.seed = 6}) == dataset);
}

TEST(DataSpecification, KeepsKindsOfUserValues) {
  const Dataset dataset = parse_data_specification(
      "tasks: [{time: 0, user_defined: {a: 1, b: 1.5, c: true, d: yes, e: '2', f: null, g: [1, {h: x}], i: "
      "1e400}}]\n"
      "ranks: [[0]]\n",
      "spec.yaml");
  EXPECT_EQ(dataset.ranks[0].phases[0].tasks.user_defined.at(0),
            R"({"a":1,"b":1.5,"c":true,"d":"yes","e":"2","f":null,"g":[1,{"h":"x"}],"i":"1e400"})");
}

TEST(DataSpecification, ReportsLineOfInvalidContent) {
  const std::string valid = "tasks: [1, 2]\nranks: [[0, 1]]\n";
  EXPECT_EQ(parse_data_specification(valid, "spec.yaml").ranks.size(), 1U);
  const auto expect_invalid = [](const std::string& text, std::uint64_t line, const std::string& what) {
    SCOPED_TRACE(text);
    const auto error = plimsoll::testing::error_of([&] { parse_data_specification(text, "spec.yaml"); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(error->diagnostic().file, "spec.yaml");
    EXPECT_EQ(error->diagnostic().line.value_or(0), line);
    EXPECT_THAT(std::string(error->what()), ::testing::HasSubstr(what));
  };
  expect_invalid("[1]", 1, "not a specification");
  expect_invalid("ranks: [[0]]", 1, "missing member \"tasks\"");
  expect_invalid("tasks: [1]", 1, "missing member \"ranks\"");
  expect_invalid("tasks: [1]\nrank: [[0]]", 2, "unknown member \"rank\"; did you mean \"ranks\"?");
  expect_invalid("tasks:\n  - 1\n  - -2\nranks: [[0]]", 3,
                 "invalid value for time: must be a number between 0");
  expect_invalid("tasks: [{load: 1}]\nranks: [[0]]", 1, "missing member \"time\"");
  expect_invalid("tasks: [{time: nan}]\nranks: [[0]]", 1, "invalid value for time");
  expect_invalid("tasks: {0: 1, x: 2}\nranks: [[0]]", 1, "invalid value for task: must be an integer");
  expect_invalid("tasks: {1: 1, 01: 2}\nranks: [[1]]", 1, "duplicate task 1");
  expect_invalid("tasks: [1]\nranks:\n  - [0]\n  - [1]", 4, "unknown task 1; add it to tasks");
  expect_invalid("tasks: [1]\nranks:\n  - [0]\n  - [0]", 4, "task 0 is on the ranks 0 and 1");
  expect_invalid("tasks: [1, 2]\nranks:\n  [[0]]", 3, "task 1 is on none of the ranks");
  expect_invalid("tasks: [1]\nranks: {0: [0], 2: []}", 2, "missing rank 1; use the ranks 0 to n-1");
  expect_invalid(valid + "communications: [{from: 0, to: 5, size: 1}]", 3, "unknown task 5");
  expect_invalid(valid + "communications: [{from: 0, to: 1}]", 3,
                 "expected a mapping with the members \"from\"");
  expect_invalid(valid + "communications: [{from: 0, to: 1, size: 1, messages: 0.5}]", 3,
                 "invalid value for messages");
  expect_invalid(valid + "shared_blocks:\n  - {size: 1, home_rank: 1, tasks: [0]}", 4,
                 "invalid value for home_rank: must be an integer between 0 and 0");
  expect_invalid(valid + "shared_blocks:\n  - {size: 1, tasks: [0]}\n  - {size: 1, tasks: [0]}", 5,
                 "task 0 uses the shared blocks 0 and 1");
  expect_invalid("tasks: [{time: {name: normal, parameters: [1, 1]}}]\nranks: [[0]]", 1,
                 "unknown distribution \"normal\"");
  expect_invalid("tasks: [{time: {name: uniform, parameters: [2, 1]}}]\nranks: [[0]]", 1,
                 "invalid bounds 2 and 1: must ascend");
  expect_invalid("tasks: [{time: {name: lognormal, parameters: [0, 1]}}]\nranks: [[0]]", 1, "invalid mean 0");
  expect_invalid("tasks: [{time: {name: uniform, parameters: [2]}}]\nranks: [[0]]", 1,
                 "1 parameters of a distribution: expected 2");
  expect_invalid(
      "tasks: [{time: 1, user_defined: {shared_id: 3}}]\nranks: [[0]]\nshared_blocks:\n"
      "  - {size: 1, tasks: [0]}",
      4, "the user_defined of task 0 already contains shared_id");
}

TEST(DataSpecification, WritesValidFiles) {
  const plimsoll::testing::TemporaryFolder folder;
  const Dataset dataset = parse_data_specification(
      "tasks: {5: 1.0, 70368744177663: {time: 2.0, migratable: false}}\nranks: [[5], [70368744177663]]\n"
      "communications: [{from: 5, to: 70368744177663, size: 8}]",
      "spec.yaml");
  write(dataset, folder / "data", "data");
  EXPECT_TRUE(validate(find_rank_files({folder / "data"})).valid());
  EXPECT_TRUE(read(find_rank_files({folder / "data"})).dataset == dataset);
}

}  // namespace
}  // namespace plimsoll::lbdata
