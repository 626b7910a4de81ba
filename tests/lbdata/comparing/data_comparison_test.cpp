#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <random>

#include <plimsoll/lbdata/data_comparison.hpp>
#include <plimsoll/lbdata/writer.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Compares two documents as files of rank 0.
DataComparison compare(const std::string& first, const std::string& second,
                       const DataComparisonOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string paths[] = {folder.write("first.json", first), folder.write("second.json", second)};
  return compare_data(find_rank_files({paths[0]}), find_rank_files({paths[1]}), options);
}

/// Returns the differences as "phase 0, object 1: time: 1 -> 2".
std::vector<std::string> lines(const DataComparison& comparison) {
  std::vector<std::string> lines;
  for (const DataDifference& difference : comparison.differences) {
    std::string line;
    if (difference.phase) line += "phase " + std::to_string(*difference.phase) + ", ";
    if (difference.iteration) line += "iteration " + std::to_string(*difference.iteration) + ", ";
    if (!difference.object.empty()) line += difference.object + ": ";
    lines.push_back(line + difference.field + ": " + difference.first.value_or("absent") + " -> " +
                    difference.second.value_or("absent"));
  }
  return lines;
}

std::vector<std::string> differences(const std::string& first, const std::string& second) {
  return lines(compare(first, second));
}

std::string object(int id, const std::string& more = "") {
  return R"({"home":0,"id":)" + std::to_string(id) + more + R"(,"migratable":true,"type":"object"})";
}

std::string task(int id, const std::string& time = "1.0", const std::string& more = "") {
  return R"({"entity":)" + object(id) + R"(,"node":0,"resource":"cpu","time":)" + time + more + "}";
}

std::string edge(int from, int to, const std::string& bytes, int messages,
                 const std::string& type = "SendRecv") {
  return R"({"bytes":)" + bytes + R"(,"from":)" + object(from) + R"(,"messages":)" +
         std::to_string(messages) + R"(,"to":)" + object(to) + R"(,"type":")" + type + "\"}";
}

std::string phase(int id, const std::string& tasks, const std::string& edges = "",
                  const std::string& more = "") {
  return R"({"communications":[)" + edges + R"(],"id":)" + std::to_string(id) + more + R"(,"tasks":[)" +
         tasks + "]}";
}

std::string file(const std::string& phases, const std::string& metadata = "") {
  return R"({"metadata":{"type":"LBDatafile")" + metadata + R"(},"phases":[)" + phases + "]}";
}

std::string listed(const std::string& identical, const std::string& skipped) {
  return R"(,"phases":{"identical_to_previous":)" + identical + R"(,"skipped":)" + skipped + "}";
}

constexpr const char* none = R"({"list":[],"range":[]})";

TEST(DataComparison, IgnoresOrderAndFormat) {
  const std::string subphases = R"(,"subphases":[{"id":0,"time":0.25},{"id":1,"time":0.75}])";
  const std::string swapped = R"(,"subphases":[{"id":1,"time":7.5e-1},{"time":0.25,"id":0}])";
  const std::string one = file(
      phase(0, task(1, "1.0", subphases) + "," + task(2), edge(1, 2, "8.0", 1) + "," + edge(2, 1, "4.0", 2)) +
      "," + phase(1, task(1)));
  const std::string other =
      R"({ "phases": [)" + phase(1, task(1)) + "," +
      phase(0, task(2) + "," + task(1, "1e0", swapped), edge(2, 1, "4.0", 2) + "," + edge(1, 2, "0.8e1", 1)) +
      R"(], "type": "LBDatafile" })";
  const DataComparison comparison = compare(one, other);
  EXPECT_THAT(lines(comparison), IsEmpty());
  EXPECT_EQ(comparison.phases, 2U);
  EXPECT_EQ(comparison.tasks, 3U);
  EXPECT_EQ(comparison.communications, 2U);
}

TEST(DataComparison, NamesPlaceAndValuesOfEachDifference) {
  const std::string before =
      file(phase(0, task(1) + "," + task(2), edge(1, 2, "8.0", 1)) + "," + phase(4, task(1)));
  const std::string after = file(phase(0, task(1, "1.5") + "," + task(3),
                                       edge(1, 2, "8.0", 2) + "," + edge(1, 2, "8.0", 1, "Broadcast")));
  EXPECT_THAT(differences(before, after),
              ElementsAre("phase 0, object 1: time: 1 -> 1.5", "phase 0, object 2: task: present -> absent",
                          "phase 0, object 3: task: absent -> present",
                          "phase 0, Broadcast from object 1 to object 2: communication: absent -> present",
                          "phase 0, SendRecv from object 1 to object 2: messages: 1 -> 2",
                          "phase 4, phase: present -> absent"));
}

TEST(DataComparison, ComparesMembersOfEntities) {
  const auto with = [](const std::string& entity) {
    return file(phase(0, R"({"entity":)" + entity + R"(,"node":0,"resource":"cpu","time":1.0})"));
  };
  const std::string full =
      R"({"collection_id":7,"home":0,"id":5,"index":[1,2],"migratable":true,"type":"object"})";
  const std::string bare = R"({"home":3,"id":5,"migratable":false,"objgroup_id":9,"type":"object"})";
  EXPECT_THAT(differences(with(full), with(bare)),
              ElementsAre("phase 0, object 5: entity/collection_id: 7 -> absent",
                          "phase 0, object 5: entity/objgroup_id: absent -> 9",
                          "phase 0, object 5: entity/home: 0 -> 3",
                          "phase 0, object 5: entity/migratable: true -> false",
                          "phase 0, object 5: entity/index: [1,2] -> absent"));
  const std::string by_sequence =
      R"({"collection_id":7,"home":0,"seq_id":5,"index":[1,2],"migratable":true,"type":"object"})";
  EXPECT_THAT(differences(with(full), with(by_sequence)),
              ElementsAre("phase 0, object 5: entity/id: 5 -> absent",
                          "phase 0, object 5: entity/seq_id: absent -> 5"));
}

TEST(DataComparison, SumsRepeatedEdges) {
  const std::string once = file(phase(0, task(1), edge(1, 1, "0.6000000000000001", 6)));
  // In this order, the sum would be 0.6 if it was rounded after each step.
  const std::string parts =
      file(phase(0, task(1), edge(1, 1, "0.3", 3) + "," + edge(1, 1, "0.2", 2) + "," + edge(1, 1, "0.1", 1)));
  EXPECT_THAT(differences(once, parts), IsEmpty());
  EXPECT_THAT(differences(file(phase(0, "", edge(1, 1, "3.0", 1))), file(phase(0, "", edge(1, 1, "1.0", 1)))),
              ElementsAre("phase 0, SendRecv from object 1 to object 1: bytes: 3 -> 1"));
  const std::string large = R"({"bytes":1.0,"from":)" + object(1) +
                            R"(,"messages":9223372036854775807,"to":)" + object(1) + R"(,"type":"SendRecv"})";
  const std::string too_many = file(phase(0, "", large + "," + large));
  EXPECT_ERROR(compare(too_many, too_many), bad_input, "exceed 64 bits");
}

TEST(DataComparison, ComparesDuplicateTasksInAnyOrder) {
  const std::string twice = file(phase(0, task(1, "1.0") + "," + task(1, "2.0")));
  EXPECT_THAT(differences(twice, file(phase(0, task(1, "2.0") + "," + task(1, "1.0")))), IsEmpty());
  EXPECT_THAT(differences(twice, file(phase(0, task(1)))),
              ElementsAre("phase 0, object 1: task: present 2 times -> present"));
}

TEST(DataComparison, ComparesElidedPhasesByMeaning) {
  const std::string full =
      file(phase(0, task(1)) + "," + phase(1, task(1)) + "," + phase(2, task(1)) + "," + phase(5, task(2)));
  const std::string elided = file(phase(0, task(1)) + "," + phase(5, task(2)),
                                  listed(R"({"list":[],"range":[[1,2]]})", R"({"list":[3,4],"range":[]})"));
  EXPECT_THAT(differences(full, elided), IsEmpty());
  EXPECT_THAT(differences(elided, full), IsEmpty());
  const std::string another =
      file(phase(0, task(1)) + "," + phase(5, task(2)), listed(R"({"list":[],"range":[[1,3]]})", none));
  EXPECT_THAT(differences(full, another), ElementsAre("phase 3, phase: absent -> present"));
  const std::string slower =
      file(phase(0, task(1)) + "," + phase(1, task(1, "2.0")) + "," + phase(5, task(2)),
           listed(R"({"list":[2],"range":[]})", none));
  EXPECT_THAT(differences(full, slower),
              ElementsAre("phase 1, object 1: time: 1 -> 2", "phase 2, object 1: time: 1 -> 2"));
}

TEST(DataComparison, ComparesMillionsOfIdenticalPhasesAtOnce) {
  const auto with_time = [](const std::string& time) {
    return file(phase(0, task(1, time)), listed(R"({"list":[],"range":[[1,999999]]})", none));
  };
  EXPECT_THAT(differences(with_time("1.0"), with_time("1.0")), IsEmpty());
  EXPECT_THAT(differences(with_time("1.0"), with_time("2.0")), SizeIs(1));
}

TEST(DataComparison, ComparesMetadata) {
  const std::string node = R"(,"shared_node":{"id":0,"num_nodes":1,"rank":0,"size":1})";
  EXPECT_THAT(differences(file("", R"(,"rank_alpha":1.0,"rank":0)"), file("")), IsEmpty());
  EXPECT_THAT(differences(file("", R"(,"attributes":{})"), file("")), IsEmpty());
  EXPECT_THAT(differences(file("", R"(,"rank":0,"rank_alpha":0.5,"attributes":{"a":1,"b":"x"})" + node),
                          file("", R"(,"rank":1,"attributes":{"b":"y"},"phases":{"count":3,"skipped":)" +
                                       std::string(none) + R"(,"identical_to_previous":)" + none + "}")),
              ElementsAre("metadata/rank: 0 -> 1", "metadata/rank_alpha: 0.5 -> 1",
                          "metadata/shared_node: present -> absent", "metadata/phases/count: absent -> 3",
                          "metadata/attributes/a: 1 -> absent", "metadata/attributes/b: \"x\" -> \"y\""));
}

TEST(DataComparison, ComparesUsersValuesByMeaning) {
  const auto with = [](const std::string& value) {
    return file(phase(0, task(1, "1.0", R"(,"user_defined":)" + value)));
  };
  EXPECT_THAT(differences(with(R"({"a":1,"b":{"c":[true,null,"x"]}})"),
                          with(R"({ "b" : {"c":[true,null,"\u0078"]}, "a" : 1.0 })")),
              IsEmpty());
  EXPECT_THAT(differences(with("{}"), file(phase(0, task(1)))), IsEmpty());
  EXPECT_THAT(differences(with(R"({"a":18446744073709551615})"), with(R"({"a":18446744073709551614})")),
              ElementsAre("phase 0, object 1: user_defined/a: 18446744073709551615 -> 18446744073709551614"));
  EXPECT_THAT(differences(with(R"({"a":[1,2],"b":{},"c":true})"), with(R"({"a":[1],"b":[],"c":1})")),
              ElementsAre("phase 0, object 1: user_defined/a/1: 2 -> absent",
                          "phase 0, object 1: user_defined/b: an object -> an array",
                          "phase 0, object 1: user_defined/c: true -> 1"));
  const std::string beyond = R"({"a":123456789012345678901234567890})";
  EXPECT_THAT(differences(with(beyond), with(beyond)), IsEmpty());
  EXPECT_THAT(differences(with(beyond), with("{}")), SizeIs(1));
}

TEST(DataComparison, ComparesValuesAndIterationsOfPhases) {
  const auto with = [](const std::string& more) { return file(phase(0, "", "", more)); };
  EXPECT_THAT(differences(with(R"(,"user_defined":{"step":1})"), with(R"(,"user_defined":{"step":2})")),
              ElementsAre("phase 0, user_defined/step: 1 -> 2"));
  const auto iteration = [](const std::string& id, const std::string& time) {
    return R"(,"lb_iterations":[{"id":)" + id + R"(,"tasks":[)" + task(1, time) + "]}]";
  };
  EXPECT_THAT(differences(with(iteration("1", "1.0")), with(iteration("1", "2.0"))),
              ElementsAre("phase 0, iteration 1, object 1: time: 1 -> 2"));
  EXPECT_THAT(differences(with(iteration("1", "1.0")), with(iteration("2", "1.0"))),
              ElementsAre("phase 0, lb_iterations/1: present -> absent",
                          "phase 0, lb_iterations/2: absent -> present"));
  EXPECT_THAT(differences(with(R"(,"lb_iterations":[])"), with("")), IsEmpty());
}

TEST(DataComparison, AcceptsRelativeTolerance) {
  const auto with = [](const std::string& time, const std::string& user) {
    return file(phase(0, task(1, time, R"(,"user_defined":{"a":)" + user + "}")));
  };
  const DataComparisonOptions tenth{.tolerance = 0.1};
  EXPECT_TRUE(compare(with("1.0", "10.0"), with("0.9", "9.5"), tenth).equal());
  EXPECT_FALSE(compare(with("1.0", "10.0"), with("0.89", "10.0"), tenth).equal());
  EXPECT_FALSE(compare(with("1.0", "10"), with("1.0", "11"), tenth).equal()) << "integers must be equal";
  EXPECT_FALSE(compare(with("0.0", "0"), with("1e-300", "0"), tenth).equal());
  for (const double invalid : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_ERROR(compare(file(""), file(""), {.tolerance = invalid}), usage, "invalid tolerance");
}

TEST(DataComparison, StopsAfterRequestedNumberOfDifferences) {
  const std::string before = file(phase(0, task(1) + "," + task(2) + "," + task(3)));
  const std::string after = file(phase(0, task(1, "2.0") + "," + task(2, "2.0") + "," + task(3, "2.0")));
  EXPECT_THAT(compare(before, after, {.max_differences = 2}).differences, SizeIs(2));
  EXPECT_TRUE(compare(before, after, {.max_differences = 2}).cut_off);
  EXPECT_FALSE(compare(before, after, {.max_differences = 3}).cut_off);
}

TEST(DataComparison, ReportsMissingFiles) {
  const TemporaryFolder folder;
  for (const std::string name : {"one", "two"}) {
    std::filesystem::create_directories(folder / name);
    folder.write(name + "/data.0.json", file(phase(0, task(1))));
  }
  const std::string more = folder.write("two/data.1.json", file(phase(0, task(2, "1.0"))));
  const auto files_of = [&](const char* name) { return find_rank_files({folder / name}); };
  const DataComparison comparison = compare_data(files_of("one"), files_of("two"));
  EXPECT_THAT(lines(comparison), ElementsAre("file: absent -> present"));
  EXPECT_EQ(comparison.differences.front().file, more);
  EXPECT_EQ(comparison.differences.front().rank, 1);
  EXPECT_EQ(lines(compare_data(files_of("two"), files_of("one"))).front(), "file: present -> absent");
}

const std::string complete = file(
    phase(
        1,
        R"({"attributes":{"a":11},"entity":{"collection_id":12,"home":13,"id":14,"index":[15],"migratable":true,"type":"object"},)"
        R"("node":16,"resource":"cpu","subphases":[{"id":17,"time":18.5}],"time":19.5,"user_defined":{"b":[20.5]}})",
        edge(21, 22, "23.5", 24),
        R"(,"lb_iterations":[{"id":25,"tasks":[)" + task(26, "27.5") + R"(]}],"user_defined":{"c":28})"),
    R"(,"attributes":{"d":29},"rank":30,"rank_alpha":31.5,"shared_node":{"id":32,"num_nodes":33,"rank":34,"size":35})");

TEST(DataComparison, FindsEveryChangedNumber) {
  std::size_t n_numbers = 0;
  const auto is_digit = [](char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; };
  for (std::size_t at = 0; at < complete.size(); ++at) {
    if (!is_digit(complete[at]) || is_digit(complete[at - 1]) || complete[at - 1] == '.') continue;
    std::string changed = complete;
    changed[at] = complete[at] == '9' ? '1' : static_cast<char>(complete[at] + 1);
    EXPECT_FALSE(compare(complete, changed).equal()) << complete.substr(0, at) << "<HERE>";
    ++n_numbers;
  }
  EXPECT_GT(n_numbers, 25U);
  EXPECT_TRUE(compare(complete, complete).equal());
}

/// Returns a copy of the data set with the tasks and edges of each phase in another order.
Dataset shuffled(const Dataset& dataset) {
  Dataset copy = dataset;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the test must be reproducible
  const auto shuffle = [&](auto& records) {
    const auto original = records;
    std::vector<std::size_t> rows(original.size());
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = k;
    std::ranges::shuffle(rows, random);
    records = {};
    for (const std::size_t row : rows) records.append(original, row);
  };
  for (RankData& rank : copy.ranks)
    for (PhaseRecord& record : rank.phases) {
      shuffle(record.tasks);
      if (record.communications) shuffle(*record.communications);
    }
  return copy;
}

class AnyDataSet : public ::testing::TestWithParam<std::string> {};

TEST_P(AnyDataSet, EqualsItselfAndItsShuffledCopies) {
  const std::vector<RankFile> files = find_rank_files({GetParam()});
  EXPECT_TRUE(compare_data(files, files).equal());
  const Dataset copy = shuffled(read(files).dataset);
  for (const bool compress : {false, true}) {
    const TemporaryFolder folder;
    write(copy, folder / "copy", "data", {.compress = compress});
    EXPECT_THAT(lines(compare_data(files, find_rank_files({folder / "copy"}))), IsEmpty());
  }
}

TEST_P(AnyDataSet, DiffersFromCopyWithOneChangedLoad) {
  const std::vector<RankFile> files = find_rank_files({GetParam()});
  Dataset copy = read(files).dataset;
  double* const last = [&] {
    double* time_s = nullptr;
    for (RankData& rank : copy.ranks)
      for (PhaseRecord& record : rank.phases)
        for (double& each : record.tasks.time_s) time_s = &each;
    return time_s;
  }();
  ASSERT_NE(last, nullptr);
  *last = std::nextafter(*last, 1e9);
  const TemporaryFolder folder;
  write(copy, folder / "copy", "data", {});
  const DataComparison comparison = compare_data(files, find_rank_files({folder / "copy"}));
  ASSERT_THAT(comparison.differences, SizeIs(1));
  EXPECT_EQ(comparison.differences.front().field, "time");
  EXPECT_TRUE(compare_data(files, find_rank_files({folder / "copy"}), {.tolerance = 1e-6}).equal() ||
              comparison.differences.front().first == "0");
}

INSTANTIATE_TEST_SUITE_P(
    Sets, AnyDataSet,
    ::testing::ValuesIn(plimsoll::testing::own_and_real(
        {"lb/blocks", "lb/generated", "lb/phases"},
        {"data/lb/ccm_example", "data/lb/synthetic-blocks/synthetic-dataset-blocks",
         "data/lb/synthetic-blocks/synthetic-dataset-blocks-alpha0",
         "data/lb/user-defined-memory-toy-problem/toy_mem",
         "data/lb/user-defined-memory-toy-problem/toy_mem_README",
         "data/lb/user-defined-memory-toy-problem/toy_mem_optimal", "data/lb/challenging_toy_fewer_tasks",
         "data/lb/nolb-8color-16nodes-11firstphases", "data/lb/lb_data_file_example.json"})));

}  // namespace
}  // namespace plimsoll::lbdata
