#include <gtest/gtest.h>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>

#include "common/temporary_folder.hpp"
#include "lbdata/repair/phase_texts.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

class RepairPending : public ::testing::Test {
 protected:
  RepairResult with_pending(const std::string& stream, const std::string& pending) {
    folder_.write("data.3.json.br.partial", stream);
    folder_.write("data.3.json.br.pending", pending);
    RepairResult result = repair(folder_ / "data.3.json.br.partial", {.overwrite = true});
    EXPECT_FALSE(folder_.has("data.3.json.br.partial"));
    EXPECT_FALSE(folder_.has("data.3.json.br.pending"));
    return result;
  }
  const TemporaryFolder folder_;
  const std::string stream_ = compressed({first_type + phase_text(10), "," + phase_text(11)});
  const std::string torn_stream_ =
      compressed({first_type + phase_text(10), "," + phase_text(11).substr(0, 200)});
};

TEST_F(RepairPending, AddsPhasesMissingFromPartialFile) {
  const RepairResult result = with_pending(stream_, first_type + phase_text(13));
  expect_phases(result, {10, 11, 13});
  EXPECT_EQ(result.pending_phases, 1U);
  EXPECT_FALSE(result.torn);
  EXPECT_TRUE(result.metadata_lost);
  const RankMetadata metadata = read({{3, result.output}}).dataset.ranks[0].metadata;
  EXPECT_EQ(metadata.type, "LBDatafile");
  EXPECT_EQ(metadata.rank, 3);
}

TEST_F(RepairPending, RestoresMetadataAndElidedPhases) {
  const std::string head =
      R"({"metadata":{"attributes":{"site":"here"},"rank":3,"type":"LBDatafile"},)" + first_type.substr(1);
  const ElidedPhases elided{
      .specification = PhaseSpecification::parse("10 0 1\n15", "s"), .count = 13, .last = 14};
  const RepairResult result = with_pending(stream_, to_line(elided) + head + phase_text(15));
  expect_phases(result, {10, 11, 15});
  EXPECT_FALSE(result.metadata_lost);
  EXPECT_FALSE(result.identical_lost);
  const RankMetadata metadata = read({{3, result.output}}).dataset.ranks[0].metadata;
  EXPECT_EQ(metadata.attributes, R"({"site":"here"})");
  ASSERT_TRUE(metadata.phases);
  EXPECT_EQ(metadata.phases->skipped.range, (std::vector<std::vector<std::int64_t>>{{0, 9}, {12, 14}}));
}

TEST_F(RepairPending, DropsListsIfWrittenPhasesAreLost) {
  const ElidedPhases elided{.identical = true, .count = 12, .last = 14};
  const RepairResult result = with_pending(stream_, to_line(elided) + first_type);
  expect_phases(result, {10, 11});
  EXPECT_TRUE(result.identical_lost);
  EXPECT_FALSE(read({{3, result.output}}).dataset.ranks[0].metadata.phases);
}

TEST_F(RepairPending, ReadsFileOfPendingPhasesAlone) {
  const std::string nul(1, '\0');
  folder_.write("data.3.json.br.pending",
                to_line({.identical = true}) + first_type + phase_text(12) + nul + "old");
  const RepairResult result = repair(folder_ / "data.3.json.br.pending", {.output = folder_ / "out.json"});
  expect_phases(result, {12});
}

TEST_F(RepairPending, CompletesLastPhaseOfPartialFile) {
  const RepairResult result =
      with_pending(torn_stream_, first_type + phase_text(11) + "," + phase_text(13).substr(0, 200));
  expect_phases(result, {10, 11});
  EXPECT_TRUE(result.torn);
  EXPECT_EQ(result.torn_phase, 13);
}

TEST_F(RepairPending, IgnoresPhasesAlreadyInPartialFile) {
  const RepairResult result = with_pending(stream_, first_type + phase_text(10) + "," + phase_text(11));
  expect_phases(result, {10, 11});
  EXPECT_EQ(result.pending_phases, 0U);
  EXPECT_EQ(result.repeated_phases, 0U);
  EXPECT_FALSE(result.torn);
}

TEST_F(RepairPending, StopsReadingAtFirstNul) {
  const std::string nul(1, '\0');
  const std::string older = phase_text(11).substr(40) + "," + phase_text(13);
  const RepairResult result = with_pending(stream_, first_type + phase_text(12) + nul + older);
  expect_phases(result, {10, 11, 12});
  EXPECT_FALSE(result.torn);
  // The program was killed while it overwrote pending text that the partial file already contains.
  expect_phases(with_pending(stream_, nul + first_type.substr(1) + phase_text(12)), {10, 11});
}

TEST_F(RepairPending, KeepsDamagedPendingFile) {
  std::string damaged = phase_text(13);
  damaged[damaged.find(':')] = '}';
  folder_.write("data.3.json.br.partial", stream_);
  folder_.write("data.3.json.br.pending", first_type + phase_text(12) + "," + damaged + "," + phase_text(14));
  const RepairResult result = repair(folder_ / "data.3.json.br.partial", {.overwrite = true});
  expect_phases(result, {10, 11, 12});
  EXPECT_TRUE(result.stream_stays);
  EXPECT_TRUE(folder_.has("data.3.json.br.pending")) << "phase 14 is complete";
}

TEST_F(RepairPending, AcceptsEmptyOrTruncatedPendingFile) {
  expect_phases(with_pending(stream_, ""), {10, 11});
  EXPECT_FALSE(with_pending(stream_, first_type + phase_text(11) + ",").torn);
  const RepairResult torn = with_pending(torn_stream_, first_type + phase_text(11).substr(0, 150));
  expect_phases(torn, {10});
  EXPECT_TRUE(torn.torn);
  EXPECT_EQ(torn.torn_phase, 11);
  for (std::size_t length = 0; length < first_type.size(); ++length) {
    expect_phases(with_pending(stream_, first_type.substr(0, length)), {10, 11});
  }
}

TEST_F(RepairPending, RecoversPhasesOfProgramKilledEarlyFromPendingFileAlone) {
  const RepairResult result = with_pending("", first_type + phase_text(10));
  expect_phases(result, {10});
  expect_phases(with_pending("", ""), {});
}

TEST_F(RepairPending, RepairsPendingFileWithoutPartialFile) {
  const std::string pending = folder_.write("data.3.json.br.pending", first_type + phase_text(10));
  const RepairResult result = repair(pending, {.output = folder_ / "data.3.json"});
  expect_phases(result, {10});
  EXPECT_EQ(read({{3, result.output}}).dataset.ranks[0].metadata.rank, 3);
}

}  // namespace
}  // namespace plimsoll::lbdata
