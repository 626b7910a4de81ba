#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Writes a file in which one task has a time of the wrong type, and another one has a negative time.
void write_bad_file(const std::string& path) {
  write_file(path, R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[
{"entity":{"home":0,"id":1,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":"long"},
{"entity":{"home":0,"id":2,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":-1.0}]}]})");
}

TEST(Validate, ReportsValidFiles) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome = run_plimsoll({"validate", folder / "data"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.out, "valid: 0 errors, 0 warnings in 2 files (4 phase records, 6 tasks, 2 edges)\n");
}

TEST(Validate, ReportsPositionOfEachViolation) {
  const TemporaryFolder folder;
  write_bad_file(folder / "data.0.json");
  const Outcome outcome = run_plimsoll({"validate", folder.path()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("error: " + (folder / "data.0.json") + ":2 (byte "));
  EXPECT_THAT(outcome.out, HasSubstr("/phases/0/tasks/0/time: "));
  EXPECT_THAT(outcome.out, HasSubstr("[negative-value]"));
  EXPECT_THAT(outcome.out, HasSubstr("\ninvalid: 2 errors, 0 warnings in 1 file"));
}

// Entity types and file names may contain any text.
TEST(Validate, PrintsNoControlCharactersOrForgedLines) {
  const TemporaryFolder folder;
  const std::string hostile =
      "\xC2\x9B"
      "2Jx\\u001b[2J\\nforged\\u202e";
  const std::string path = folder / "data\nforged\x1b[2J.0.json";
  write_file(path,
             R"({"metadata":{"rank":0,"type":")" + hostile + R"("},"phases":[{"id":0,"tasks":[{"entity":)" +
                 R"({"home":0,"id":1,"migratable":true,"type":")" + hostile + R"("},"node":0,"resource":")" +
                 hostile + R"(","time":1.0,")" + hostile + R"(":1}],")" + hostile + R"(":[]}]})");
  for (const char* format : {"--checks=type,metadata", "--json"}) {
    const Outcome outcome = run_plimsoll({"validate", path, format});
    EXPECT_NE(outcome.out + outcome.err, "");
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b"))) << format;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\xC2\x9B"))) << format;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\u202e"))) << format;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\nforged"))) << format;
  }
}

TEST(Validate, PrintsJson) {
  const TemporaryFolder folder;
  write_bad_file(folder / "data.0.json");
  const Outcome outcome = run_plimsoll({"validate", folder.path(), "--json"});
  EXPECT_EQ(outcome.status, 1);
  const Json json(outcome.out);
  EXPECT_FALSE(json.truth("/valid"));
  EXPECT_EQ(json.integer("/errors"), 2);
  EXPECT_EQ(json.size("/findings"), 2U);
  EXPECT_EQ(json.integer("/findings/0/line"), 2);
  EXPECT_EQ(json.text("/findings/0/pointer"), "/phases/0/tasks/0/time");
  EXPECT_EQ(json.text("/findings/1/check"), "negative-value");
}

TEST(Validate, SelectsChecks) {
  const TemporaryFolder folder;
  write_bad_file(folder / "data.0.json");
  const std::string file = folder / "data.0.json";
  EXPECT_THAT(run_plimsoll({"validate", file, "--schema-only"}).out, HasSubstr("invalid: 1 error,"));
  EXPECT_THAT(run_plimsoll({"validate", file, "--checks", "type,metadata"}).out,
              HasSubstr("invalid: 1 error,"));
  EXPECT_THAT(run_plimsoll({"validate", file, "--checks", "negative-value"}).out,
              HasSubstr("invalid: 2 errors,"));
  EXPECT_THAT(run_plimsoll({"validate", file, "--max-errors", "1"}).out,
              HasSubstr("invalid: at least 1 error in 1 file"));
  const Outcome unknown = run_plimsoll({"validate", file, "--checks", "negativ-value"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"negative-value\"?"));
}

TEST(Validate, ReportsMinimumNumberOnlyOfOmittedFindings) {
  const Outcome outcome = run_plimsoll({"validate", own_path("lb/phases"), "--max-errors", "1"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("\nvalid: 0 errors, at least 1 warning in 2 files"));
}

TEST(Validate, SupportsOlderSchema) {
  const TemporaryFolder folder;
  write_file(
      folder / "data.0.json",
      R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[{"entity":)"
      R"({"home":0,"seq_id":1,"collection_id":7,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":1.0}]}]})");
  EXPECT_EQ(run_plimsoll({"validate", folder.path()}).status, 0);
  EXPECT_EQ(run_plimsoll({"validate", folder.path(), "--schema", "2023"}).status, 1);
}

TEST(Validate, RejectsFilesThatDecompressBeyondLimit) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome = run_plimsoll({"validate", folder / "data", "--max-size", "100"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("100"));
}

TEST(Validate, ValidatesTestDataSets) {
  const auto validate = [](const std::string& below) {
    const Outcome outcome = run_plimsoll({"validate", own_path(below)});
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    return outcome.out;
  };
  EXPECT_THAT(validate("lb/blocks"), HasSubstr("0 warnings in 4 files (4 phase records"));
  EXPECT_THAT(validate("lb/generated"), HasSubstr("0 warnings in 8 files (24 phase records"));
  EXPECT_THAT(validate("lb/phases"), HasSubstr("2 warnings in 2 files (6 phase records"));
}

TEST(Validate, ValidatesRealDataSets) {
  PLIMSOLL_NEED_SHARED("data/lb");
  const std::string folder = shared_path("data/lb/nolb-8color-16nodes-11firstphases");
  const Outcome outcome = run_plimsoll({"validate", folder, "--schema-only"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("in 32 files (352 phase records"));
}

TEST(Validate, WarnsAboutMissingMessagesWithinRanks) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "data");
  const auto object = [](int id) {
    return R"({"home":0,"id":)" + std::to_string(id) + R"(,"migratable":true,"type":"object"})";
  };
  for (int rank = 0; rank < 2; ++rank) {
    const auto task = [&](int id) {
      return R"({"entity":)" + object(id) + R"(,"node":)" + std::to_string(rank) +
             R"(,"resource":"cpu","time":1.0})";
    };
    write_file(folder / ("data/data." + std::to_string(rank) + ".json"),
               R"({"type":"LBDatafile","phases":[{"id":0,"communications":[{"bytes":1.0,"from":)" +
                   object(10 + rank) + R"(,"messages":1,"to":)" + object(21 - rank) +
                   R"(,"type":"SendRecv"}],"tasks":[)" + task(10 + rank) + "," + task(20 + rank) + "]}]}");
  }
  const std::string expected =
      "warning: none of the 2 edges between objects joins two objects of one rank [local-messages]; record "
      "messages within ranks, too";
  const Outcome validated = run_plimsoll({"validate", folder / "data", "--checks", "local-messages"});
  EXPECT_EQ(validated.status, 0);
  EXPECT_THAT(validated.out, HasSubstr(expected));
  EXPECT_THAT(validated.out, HasSubstr("valid: 0 errors, 1 warning"));
  const Outcome shown = run_plimsoll({"info", folder / "data"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.err, HasSubstr(expected));
  const Json json(run_plimsoll({"info", folder / "data", "--json"}).out);
  EXPECT_EQ(json.text("/warnings/0/check"), "local-messages");
  EXPECT_EQ(Json(run_plimsoll({"validate", folder / "data", "--json"}).out).text("/findings/0/severity"),
            "warning");
}

}  // namespace
}  // namespace plimsoll::testing
