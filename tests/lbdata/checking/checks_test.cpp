#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/lbdata/validator.hpp>

#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// File with one task. If `edge` is not empty, it is the other end of an edge.
std::string file_of_rank(const std::string& rank, const std::string& object, const std::string& edge = {}) {
  const std::string edges = R"({"bytes":1.0,"from":{"id":)" + object +
                            R"(,"type":"object"},"messages":1,"to":)" + edge + R"(,"type":"SendRecv"})";
  return R"({"metadata":{"rank":)" + rank + R"(,"type":"LBDatafile"},"phases":[{"communications":[)" +
         (edge.empty() ? "" : edges) + R"(],"id":0,"tasks":[{"entity":{"home":)" + rank + R"(,"id":)" +
         object + R"(,"migratable":true,"type":"object"},"node":)" + rank +
         R"(,"resource":"cpu","time":1.0}]}]})";
}

const std::string object_of_rank_1 = R"({"home":1,"id":4,"type":"object"})";

/// Returns the only finding, which must be a note.
std::string only_note(const ValidationReport& report) {
  EXPECT_TRUE(report.valid());
  EXPECT_EQ(report.findings.size(), 1U);
  if (report.findings.empty()) return "";
  EXPECT_EQ(report.findings.front().severity, Severity::note);
  return to_string(report.findings.front());
}

TEST(CompleteSet, ReportsMissingRanksAndPhases) {
  const TemporaryFolder folder;
  const auto write = [&](int rank, const std::string& phases) {
    folder.write(
        "data." + std::to_string(rank) + ".json",
        R"({"metadata":{"rank":)" + std::to_string(rank) +
            R"(,"shared_node":{"id":0,"num_nodes":1,"rank":0,"size":3},"type":"LBDatafile"},"phases":[)" +
            phases + "]}");
  };
  write(0, R"({"id":0,"tasks":[]},{"id":1,"tasks":[]})");
  write(1, R"({"id":0,"tasks":[]})");
  const auto findings = [&](std::size_t expected_ranks) {
    const std::vector<RankFile> files = find_rank_files({folder.path()});
    return validate(files, {.ranks = RankCheck::complete, .expected_ranks = expected_ranks});
  };
  const ValidationReport report = findings(0);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_THAT(to_string(report.findings[0]), HasSubstr("its metadata (shared_node) specify 3 ranks"));
  EXPECT_EQ(to_string(report.findings[1]), "some ranks have no data for 1 phase: 1 [complete-set]");
  EXPECT_FALSE(report.valid());
  EXPECT_TRUE(findings(2).valid());
  EXPECT_THAT(validate(find_rank_files({folder.path()})).findings, IsEmpty());

  write(1, R"({"id":7,"tasks":[]})");
  EXPECT_THAT(to_string(findings(2).findings.front()),
              HasSubstr("no phase has data on all ranks; only some ranks have data for 0-1, 7"));
}

TEST(MissingFiles, ChecksReferencesOnlyInWholeDataSets) {
  const TemporaryFolder folder;
  const std::string first = folder.write("data.0.json", file_of_rank("0", "3", object_of_rank_1));
  folder.write("data.1.json", file_of_rank("1", "4"));
  EXPECT_THAT(validate(find_rank_files({folder.path()})).findings, IsEmpty());
  EXPECT_EQ(only_note(validate({{0, first}})),
            first +
                ": references to other files not checked: the data set has 2 files, 1 specified "
                "[dangling-reference]; use plimsoll validate " +
                (folder / "data") + " to check all files");
  ValidateOptions others;
  others.checks = {"duplicate-task"};
  EXPECT_THAT(validate({{0, first}}, others).findings, IsEmpty());
}

TEST(MissingFiles, RecognisesSingleFileByRanksToWhichItRefers) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file.json", file_of_rank("0", "3", object_of_rank_1));
  EXPECT_THAT(only_note(validate({{0, file}})), HasSubstr("has files of other ranks, up to at least 1"));
  const std::string alone = folder.write("file.json", file_of_rank("0", "3", R"({"id":4,"type":"object"})"));
  const ValidationReport report = validate({{0, alone}});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().severity, Severity::warning);
}

TEST(MissingFiles, PrintsNoNoteWithoutReferencesToOtherFiles) {
  const TemporaryFolder folder;
  const std::string first =
      folder.write("data.0.json", file_of_rank("0", "3", R"({"id":3,"type":"object"})"));
  folder.write("data.1.json", file_of_rank("1", "4"));
  EXPECT_THAT(validate({{0, first}}).findings, IsEmpty());
}

TEST(MissingFiles, RecognisesMissingRanks) {
  const TemporaryFolder folder;
  const std::string file = folder.write("data.1.json", file_of_rank("1", "4", R"({"id":3,"type":"object"})"));
  EXPECT_THAT(only_note(validate({{1, file}})), HasSubstr("specify all files of the data set"));
}

}  // namespace
}  // namespace plimsoll::lbdata
