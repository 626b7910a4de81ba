#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

/// Text of a file up to a byte in the last of `n_phases` phases.
std::string cut_in_phase(int rank, int n_phases) {
  std::string text = R"({"metadata":{"rank":)" + std::to_string(rank) + R"(,"type":"LBDatafile"},"phases":[)";
  for (int phase = 0; phase < n_phases; ++phase)
    text += R"({"id":)" + std::to_string(phase) + R"(,"tasks":[]},)";
  return text + R"({"id":)" + std::to_string(n_phases) + R"(,"ta)";
}

TEST(GrowingDataSet, HasCompletePhasesOfPartialFiles) {
  const TemporaryFolder folder;
  folder.write("data.0.json.partial", cut_in_phase(0, 2));
  folder.write("data.1.json.partial", cut_in_phase(1, 3));
  const Dataset dataset = read_growing(folder.path()).dataset;
  ASSERT_EQ(dataset.ranks.size(), 2U);
  EXPECT_EQ(dataset.ranks[0].phases.size(), 2U);
  EXPECT_EQ(dataset.ranks[1].phases.size(), 3U);
  EXPECT_EQ(folder.read("data.0.json.partial"), cut_in_phase(0, 2));
  EXPECT_FALSE(folder.has("data.0.json"));
}

TEST(GrowingDataSet, IncludesFilesOfRanksThatHaveFinished) {
  const TemporaryFolder folder;
  const std::string complete = R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[]},{"id":1,"tasks":[]}]})";
  folder.write("data.0.json", complete);
  folder.write("data.1.json.partial", cut_in_phase(1, 1));
  const Dataset dataset = read_growing(folder.path()).dataset;
  ASSERT_EQ(dataset.ranks.size(), 2U);
  EXPECT_EQ(dataset.ranks[0].phases.size(), 2U);
  EXPECT_EQ(dataset.ranks[1].phases.size(), 1U);
  EXPECT_EQ(folder.read("data.0.json"), complete);
}

TEST(GrowingDataSet, OmitsFilesOfAnEarlierRun) {
  const TemporaryFolder folder;
  for (const int rank : {0, 1})
    folder.write("data." + std::to_string(rank) + ".json",
                 R"({"type":"LBDatafile","phases":[{"id":7,"tasks":[]}]})");
  for (const int rank : {0, 1})
    folder.write("data." + std::to_string(rank) + ".json.partial", cut_in_phase(rank, 1));
  const Dataset dataset = read_growing(folder.path()).dataset;
  ASSERT_EQ(dataset.ranks.size(), 2U);
  EXPECT_EQ(dataset.ranks[0].phases.at(0).id, 0);
}

TEST(GrowingDataSet, NamesDirectoryOfTheProgramInErrors) {
  const TemporaryFolder folder;
  folder.write("data.1.json.partial", cut_in_phase(1, 1));
  EXPECT_ERROR(read_growing(folder.path()), bad_input, folder.path());
}

TEST(GrowingDataSet, IncludesPendingPhases) {
  const TemporaryFolder folder;
  folder.write("data.0.json.partial", R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[]})");
  folder.write("data.0.json.pending", R"({"type":"LBDatafile","phases":[{"id":1,"tasks":[]}]})");
  EXPECT_EQ(read_growing(folder.path()).dataset.ranks.at(0).phases.size(), 2U);
}

TEST(GrowingDataSet, ReadsCompleteDataSetsInPlace) {
  const TemporaryFolder folder;
  folder.write("data.0.json", R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[]}]})");
  EXPECT_EQ(read_growing(folder.path()).dataset.ranks.at(0).phases.size(), 1U);
}

TEST(GrowingDataSet, RejectsFilesOfOtherPrograms) {
  const TemporaryFolder folder;
  folder.write("data.0.json.partial", "text");
  EXPECT_ERROR(read_growing(folder.path()), bad_input, folder / "data.0.json.partial");
}

}  // namespace
}  // namespace plimsoll::lbdata
