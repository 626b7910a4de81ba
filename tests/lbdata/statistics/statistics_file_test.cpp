#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/text_source.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "lbdata/json/json_position.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::own_path;
using plimsoll::testing::TemporaryFolder;

Statistics computed(const std::vector<double>& values) {
  return Statistics(values);
}

NamedStatistics six_statistics(double scale) {
  NamedStatistics all;
  for (const char* name : {"Object_comm", "Object_load_modeled", "Object_load_raw", "Rank_comm",
                           "Rank_load_modeled", "Rank_load_raw"})
    all[name] = computed({0, 0.25 * scale, 1.5 * scale, 1e-7 * scale});
  return all;
}

// Returns the text of one block, with the quantities of `Rank_load_raw`.
std::string block(const std::string& rank_load) {
  const std::string zero =
      R"({"avg":0.0,"car":0.0,"imb":0.0,"kur":0.0,"max":0.0,"min":0.0,"npr":0.0,"skw":0.0,"std":0.0,"sum":0.0,"var":0.0})";
  return R"({"Object_comm":)" + zero + R"(,"Object_load_modeled":)" + zero + R"(,"Object_load_raw":)" + zero +
         R"(,"Rank_comm":)" + zero + R"(,"Rank_load_modeled":)" + zero + R"(,"Rank_load_raw":)" + rank_load +
         "}";
}

const std::string quantities =
    R"({"avg":1,"car":2.0,"imb":3.0,"kur":4.0,"max":5.0,"min":6.0,"npr":7.0,"skw":8.0,"std":9.0,"sum":10.0,"var":11.0})";

TEST(StatisticsRecords, ContainEachQuantity) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "statistics.json", R"({"metadata":{"type":"LBStatsfile"},"phases":[{"id":300,"migration count":17,)"
                         R"("pre-LB":)" +
                             block(quantities) + R"(,"post-LB":)" + block(quantities) + "}]}");
  const std::vector<StatisticsRecord> phases = read_statistics_file(path);
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].phase, 300);
  EXPECT_EQ(phases[0].migration_count, 17);
  EXPECT_EQ(phases[0].pre_lb.size(), 6U);
  const RecordedStatistics expected{.average = 1,
                                    .count = 2,
                                    .imbalance = 3,
                                    .kurtosis = 4,
                                    .maximum = 5,
                                    .minimum = 6,
                                    .nonzero_count = 7,
                                    .skewness = 8,
                                    .standard_deviation = 9,
                                    .sum = 10,
                                    .variance = 11};
  EXPECT_EQ(phases[0].pre_lb.at("Rank_load_raw"), expected);
  EXPECT_EQ(phases[0].pre_lb.at("Rank_comm"), RecordedStatistics());
  ASSERT_TRUE(phases[0].post_lb);
  EXPECT_EQ(phases[0].post_lb->at("Rank_load_raw"), expected);
}

TEST(StatisticsRecords, AreReadAsWritten) {
  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    const std::string path = folder / (compress ? "statistics.json.br" : "statistics.json");
    StatisticsFileWriter writer(path, {.compress = compress});
    const NotBalanced reason{
        .reason = "price", .text = "too \"dear\"", .numbers = {{"gain", 3e-3}, {"price", 0.5}}};
    writer.write({.id = 0, .pre_lb = six_statistics(1), .not_balanced = reason});
    writer.write(
        {.id = 100, .migration_count = 3, .pre_lb = six_statistics(2), .post_lb = six_statistics(4)});
    writer.close();
    EXPECT_TRUE(is_statistics_file(path));
    const std::vector<StatisticsRecord> phases = read_statistics_file(path);
    ASSERT_EQ(phases.size(), 2U);
    EXPECT_EQ(phases[0].not_balanced, reason);
    EXPECT_FALSE(phases[1].not_balanced);
    EXPECT_FALSE(phases[0].post_lb);
    EXPECT_FALSE(phases[0].migration_count);
    EXPECT_EQ(phases[1].phase, 100);
    for (const auto& [name, statistics] : six_statistics(4))
      EXPECT_EQ(phases[1].post_lb->at(name), recorded(statistics)) << name;
    EXPECT_EQ(phases[0].pre_lb.at("Object_comm").count, 4);
    EXPECT_EQ(phases[0].pre_lb.at("Object_comm").nonzero_count, 3);
    EXPECT_EQ(phases[0].pre_lb.at("Object_comm").maximum, 1.5);
  }
}

TEST(StatisticsRecords, RequireSchema) {
  const TemporaryFolder folder;
  const std::string without = R"({"metadata":{"type":"LBStatsfile"},"phases":[{"id":0}]})";
  EXPECT_ERROR(read_statistics_file(folder.write("a.json", without)), bad_input, "missing member \"pre-LB\"");
  const std::string text = R"({"metadata":{"type":"LBStatsfile"},"phases":[{"id":0,"pre-LB":)";
  EXPECT_ERROR(read_statistics_file(folder.write("b.json", text + block("{}") + "}]}")), bad_input,
               "missing member \"avg\"");
  EXPECT_ERROR(read_statistics_file(folder.write("c.json", text)), bad_input, "c.json");
  EXPECT_ERROR(read_statistics_file(folder / "none.json"), system, "none.json");
}

TEST(IsStatisticsFile, DecidesByContent) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_statistics_file(folder.write("a.json", R"({"type":"LBStatsfile","phases":[]})")));
  EXPECT_TRUE(is_statistics_file(folder.write("b.json", R"({"phases":[],"type":"LBStatsfile"})")));
  EXPECT_TRUE(
      is_statistics_file(folder.write("c.json", R"({"metadata":{"type":"LBStatsfile"},"phases":[{)")));
  EXPECT_FALSE(
      is_statistics_file(folder.write("d.json", R"({"metadata":{"type":"LBDatafile"},"phases":[{)")));
  EXPECT_FALSE(is_statistics_file(folder.write("e.json", R"({"phases":[{"id":0}],"type":"LBStatsfile"})")));
  EXPECT_FALSE(is_statistics_file(folder.write("f.json", "LBStatsfile")));
  EXPECT_FALSE(is_statistics_file(folder.write("g.json", "")));
  EXPECT_FALSE(is_statistics_file(own_path("lb/blocks/data.0.json")));
  EXPECT_FALSE(is_statistics_file(folder.path()));
  EXPECT_FALSE(is_statistics_file(folder / "none.json"));
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(is_statistics_file(pipe));  // does not wait for a writer
}

}  // namespace

namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Statistics statistics_of(std::vector<double> values) {
  return Statistics(values);
}

NamedStatistics every_statistic(double scale) {
  const Statistics values = statistics_of({0, 0.25 * scale, 1.5 * scale, 1e-7 * scale});
  return {{"Object_comm", values},     {"Object_load_modeled", values},
          {"Object_load_raw", values}, {"Object_strategy_specific_load_modeled", values},
          {"Rank_comm", Statistics()}, {"Rank_load_modeled", values},
          {"Rank_load_raw", values},   {"Rank_strategy_specific_load_modeled", statistics_of({4})}};
}

std::string text_at_start_of(const std::string& path) {
  support::TextSource source(path, data_file_format);
  std::string text(1 << 20, '\0');
  text.resize(source.read(text.data(), text.size()));
  return text;
}

// Expected values, computed by hand for loads 1 and 3: mean 2, M2 = 2, M4 = 2, so var = 1. With (N-1)/M2 =
// 1/2, kur = 1/2 * 1/4 * 2 - 3.
TEST(StatisticsFile, HasFormatOfVt) {
  const StatisticsPhase phase{
      .id = 7,
      .migration_count = 3,
      .pre_lb = {{"Rank_load_raw", statistics_of({1, 3})}, {"Object_comm", Statistics()}},
      .post_lb = NamedStatistics{{"Rank_load_raw", statistics_of({2, 2})}}};
  const std::string none =
      R"({"avg":0.0,"car":0.0,"imb":0.0,"kur":0.0,"max":0.0,"min":0.0,"npr":0.0,"skw":0.0,"std":0.0,"sum":0.0,"var":0.0})";
  EXPECT_EQ(
      to_json(phase),
      R"({"id":7,"migration count":3,"post-LB":{"Rank_load_raw":{"avg":2.0,"car":2.0,"imb":0.0,"kur":0.0,"max":2.0,)"
      R"("min":2.0,"npr":2.0,"skw":0.0,"std":0.0,"sum":4.0,"var":0.0}},"pre-LB":{"Object_comm":)" +
          none +
          R"(,"Rank_load_raw":{"avg":2.0,"car":2.0,"imb":0.5,"kur":-2.75,"max":3.0,"min":1.0,"npr":2.0,"skw":0.0,)"
          R"("std":1.0,"sum":4.0,"var":1.0}}})");
  EXPECT_EQ(to_json(StatisticsPhase{.id = 8}), R"({"id":8,"pre-LB":{}})");
}

TEST(StatisticsFile, MatchesSchema) {
  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    const std::string path = folder / (compress ? "statistics.json.br" : "statistics.json");
    const std::array phases = {
        StatisticsPhase{.id = 0, .pre_lb = every_statistic(1)},
        StatisticsPhase{
            .id = 100, .migration_count = 12, .pre_lb = every_statistic(1e6), .post_lb = every_statistic(1)}};
    StatisticsFileWriter writer(path, {.compress = compress});
    for (const StatisticsPhase& phase : phases) writer.write(phase);
    EXPECT_FALSE(folder.has(compress ? "statistics.json.br" : "statistics.json"));
    writer.close();

    EXPECT_EQ(support::TextSource(path, data_file_format).compressed(), compress);
    const std::string text = text_at_start_of(path);
    EXPECT_EQ(text, R"({"metadata":{"type":"LBStatsfile"},"phases":[)" + to_json(phases[0]) + "," +
                        to_json(phases[1]) + "]}");
    const ValidationReport report = validate({{.rank = 0, .path = path}});
    EXPECT_TRUE(report.valid());
    EXPECT_TRUE(report.findings.empty());
    EXPECT_TRUE(validate_text(text, "statistics").valid());
  }
}

TEST(StatisticsFile, IsValidWithoutPhases) {
  const TemporaryFolder folder;
  StatisticsFileWriter writer(folder / "statistics.json", {.compress = false});
  writer.close();
  EXPECT_TRUE(validate_text(folder.read("statistics.json"), "statistics").valid());
}

TEST(StatisticsFile, FlushesEachPhase) {
  const TemporaryFolder folder;
  StatisticsFileWriter writer(folder / "statistics.json.br");
  for (std::int64_t id = 0; id < 3; ++id) {
    const StatisticsPhase phase{.id = id, .pre_lb = every_statistic(2)};
    writer.write(phase);
    EXPECT_THAT(text_at_start_of(folder / "statistics.json.br.partial"), EndsWith(to_json(phase)));
  }
}

TEST(StatisticsFile, WritesNoNonFiniteNumbers) {
  const TemporaryFolder folder;
  const std::string path = folder / "statistics.json";
  StatisticsFileWriter writer(path, {.compress = false});
  const StatisticsPhase good{.id = 0, .pre_lb = every_statistic(1)};
  writer.write(good);
  constexpr double huge = std::numeric_limits<double>::max();
  const NamedStatistics endless = {{"Rank_load_raw", statistics_of({huge, huge})}};
  EXPECT_ERROR(writer.write({.id = 1, .pre_lb = endless}), bad_input,
               "phase 1: avg of Rank_load_raw is not finite");
  EXPECT_ERROR(writer.write({.id = 1, .pre_lb = every_statistic(1), .post_lb = endless}), bad_input, path);
  writer.close();
  EXPECT_EQ(folder.read("statistics.json"),
            R"({"metadata":{"type":"LBStatsfile"},"phases":[)" + to_json(good) + "]}");
}

TEST(StatisticsFile, OverwritesFileOnlyIfAllowed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("statistics.json", "precious");
  EXPECT_ERROR(StatisticsFileWriter(path, {.compress = false}), usage, path);
  StatisticsFileWriter(path, {.compress = false, .overwrite = true}).close();
  EXPECT_THAT(folder.read("statistics.json"), StartsWith("{"));
}

}  // namespace
}  // namespace plimsoll::lbdata
