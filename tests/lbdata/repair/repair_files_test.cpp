#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;

/// File whose second phase is truncated, like the partial file of a killed program.
constexpr std::string_view cut_stream =
    R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[]},{"id":1,"ta)";

std::vector<std::string> outputs_of(const std::vector<RepairedFile>& files) {
  std::vector<std::string> outputs;
  for (const RepairedFile& file : files) outputs.push_back(file.result ? file.result->output : "");
  return outputs;
}

TEST(RepairFiles, RepairsPartialFilesInDirectory) {
  const TemporaryFolder folder;
  folder.write("data.0.json.partial", cut_stream);
  folder.write("data.1.json.partial", cut_stream);
  folder.write("data.2.json", std::string(cut_stream) + R"(sks":[]}]})");
  const std::vector<RepairedFile> files = repair_files({folder.path()});
  EXPECT_THAT(outputs_of(files), ElementsAre(folder / "data.0.json", folder / "data.1.json"));
  EXPECT_EQ(files[0].path, folder / "data.0.json.partial");
  EXPECT_EQ(files[0].result->phases, 1U);
  EXPECT_FALSE(folder.has("data.0.json.partial"));
}

// Another program may still be copying a truncated file, so that only a copy of it is safe.
TEST(RepairFiles, ReplacesTruncatedFilesInDirectoryOnlyIfAllowed) {
  const TemporaryFolder folder;
  folder.write("data.0.json", cut_stream);
  folder.write("data.1.json", R"({"type":"LBDatafile","phases":[]})");
  const std::vector<RepairedFile> refused = repair_files({folder.path()});
  ASSERT_EQ(refused.size(), 1U);
  ASSERT_TRUE(refused[0].error);
  EXPECT_EQ(refused[0].error->kind(), ErrorKind::usage);
  EXPECT_EQ(folder.read("data.0.json"), cut_stream);

  const TemporaryFolder copy;
  EXPECT_THAT(outputs_of(repair_files({folder.path()}, {.output = copy.path()})),
              ElementsAre(copy / "data.0.json", copy / "data.1.json"));
  EXPECT_EQ(folder.read("data.0.json"), cut_stream);
  EXPECT_THAT(outputs_of(repair_files({folder.path()}, {.overwrite = true})),
              ElementsAre(folder / "data.0.json"));
  EXPECT_TRUE(repair_files({folder.path()}).empty());
}

TEST(RepairFiles, CopiesNoFilesOfEarlierRun) {
  const TemporaryFolder folder, copy;
  for (const char* name : {"data.0.json.partial", "data.0.json", "data.1.json"})
    folder.write(name, cut_stream);
  EXPECT_THAT(outputs_of(repair_files({folder.path()}, {.output = copy.path()})),
              ElementsAre(copy / "data.0.json"));
  EXPECT_FALSE(copy.has("data.1.json"));
}

TEST(RepairFiles, CopiesCompleteDataSetWithoutPartialFileOfOneRank) {
  const TemporaryFolder folder, copy;
  const std::string stream = folder.write("data.1.json.partial", cut_stream);
  folder.write("data.0.json", R"({"type":"LBDatafile","phases":[]})");
  folder.write("data.1.json", R"({"type":"LBDatafile","phases":[]})");
  const RepairOptions options = {.output = copy.path(), .overwrite = true};
  EXPECT_THAT(ignored_streams({folder.path(), folder / "data.0.json"}, options), ElementsAre(stream));
  EXPECT_TRUE(ignored_streams({folder.path()}, {}).empty()) << "repair in place rejects such directories";
  EXPECT_THAT(outputs_of(repair_files({folder.path()}, options)),
              ElementsAre(copy / "data.0.json", copy / "data.1.json"));

  folder.write("data.0.json.partial", cut_stream);  // the later run wrote all ranks
  EXPECT_TRUE(ignored_streams({folder.path()}, options).empty());
  EXPECT_EQ(repair_files({folder.path()}, options).front().result->phases, 1U);
}

TEST(RepairFiles, ListsIgnoredFilesInOrderOfTheirPaths) {
  const TemporaryFolder folder;
  for (const char* name : {"a.0.json", "a.1.json", "a-b.0.json", "a-b.1.json"})
    folder.write(name, R"({"type":"LBDatafile","phases":[]})");
  const std::string second = folder.write("a.0.json.partial", cut_stream);
  const std::string first = folder.write("a-b.0.json.partial", cut_stream);
  EXPECT_THAT(ignored_streams({folder.path()}, {.output = folder / "copy"}), ElementsAre(first, second));
}

TEST(RepairFiles, ReplacesFilesOfEarlierRunWithOtherCompression) {
  const TemporaryFolder folder;
  for (const char* rank : {"0", "1"}) {
    folder.write(fmt::format("data.{}.json.partial", rank), cut_stream);
    folder.write(fmt::format("data.{}.json.br", rank), "of an earlier run");
  }
  EXPECT_TRUE(repair_files({folder.path()})[0].error);
  EXPECT_TRUE(folder.has("data.0.json.br"));

  const std::vector<RepairedFile> files = repair_files({folder.path()}, {.overwrite = true});
  EXPECT_THAT(outputs_of(files), ElementsAre(folder / "data.0.json", folder / "data.1.json"));
  EXPECT_FALSE(folder.has("data.0.json.br"));
  EXPECT_FALSE(folder.has("data.1.json.br"));
}

/// Simulates another program, which replaces a partial file as soon as a file has been repaired.
class Replacing : public support::Progress {
 public:
  explicit Replacing(std::string stream) : stream_(std::move(stream)) {}
  void advance(std::uint64_t) override { file_ = support::create_file(stream_, true); }

 private:
  std::string stream_;
  support::Descriptor file_;
};

TEST(RepairFiles, KeepsPartialFileCreatedDuringRepair) {
  const TemporaryFolder folder;
  Replacing other(folder.write("data.0.json.partial", cut_stream));
  EXPECT_THAT(outputs_of(repair_files({folder.path()}, {}, 1, other)), ElementsAre(folder / "data.0.json"));
  EXPECT_TRUE(folder.has("data.0.json.partial"));
}

// Only the recorder knows that the first number is the rank. Any number in the name of a file may be the
// rank.
TEST(RepairFiles, KeepsPartialFileOfRunningProgramRegardlessOfName) {
  const TemporaryFolder folder;
  const std::string stream = folder.write("run3-v2.json.partial", cut_stream);
  {
    const support::FolderLock recorder(folder.path(), {.name = set_of_pattern("run%p-v2.json")});
    const RepairedFile refused = repair_files({stream}).front();
    ASSERT_TRUE(refused.error);
    EXPECT_THAT(refused.error->what(), ::testing::HasSubstr("is writing there"));
  }
  EXPECT_THAT(outputs_of(repair_files({stream})), ElementsAre(folder / "run3-v2.json"));
}

TEST(RepairFiles, WritesOneFileToRequestedPath) {
  const TemporaryFolder folder;
  const std::string file = folder.write("cut.json", cut_stream);
  EXPECT_THAT(outputs_of(repair_files({file}, {.output = folder / "whole.json"})),
              ElementsAre(folder / "whole.json"));
}

TEST(RepairFiles, WritesSeveralFilesToNewDirectory) {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {folder.write("a.json", cut_stream),
                                          folder.write("b.json", cut_stream)};
  EXPECT_THAT(outputs_of(repair_files(paths, {.output = folder / "new/rescued"})),
              ElementsAre(folder / "new/rescued/a.json", folder / "new/rescued/b.json"));
  EXPECT_THAT(outputs_of(repair_files({paths[0]}, {.output = folder / "other/"})),
              ElementsAre(folder / "other/a.json"));
}

TEST(RepairFiles, RejectsTwoFilesWithSameOutput) {
  const TemporaryFolder one, two;
  const std::vector<std::string> paths = {one.write("a.json", cut_stream), two.write("a.json", cut_stream)};
  EXPECT_ERROR(repair_files(paths, {.output = one / "rescued"}), usage, "would both become");
  EXPECT_FALSE(one.has("rescued"));
  // Repair in place is also rejected, before any file is repaired.
  const std::vector<std::string> streams = {one.write("b.json.partial", cut_stream),
                                            one.write("b.json.br.partial", cut_stream)};
  EXPECT_ERROR(repair_files(streams, {.plain = true}), usage, "would both become " + one / "b.json");
  EXPECT_TRUE(one.has("b.json.partial"));
  // A data set with a plain and a compressed file of one rank is invalid.
  EXPECT_ERROR(repair_files(streams, {.output = one / "rescued"}), usage,
               "would become " + one / "rescued/b.json" + " and " + one / "rescued/b.json.br");
  EXPECT_FALSE(one.has("rescued"));
}

TEST(RepairFiles, RepairsDuplicateArgumentOnce) {
  const TemporaryFolder folder;
  const std::string stream = folder.write("data.0.json.partial", cut_stream);
  EXPECT_THAT(outputs_of(repair_files({stream, folder.path() + "/./", stream})),
              ElementsAre(folder / "data.0.json"));
}

TEST(RepairFiles, ContinuesAfterUnrepairableFile) {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {folder.write("a.json", "no LB data"),
                                          folder.write("b.json", cut_stream)};
  const std::vector<RepairedFile> files = repair_files(paths, {.output = folder / "rescued"});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_FALSE(files[0].result);
  EXPECT_EQ(files[0].error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(files[1].result->output, folder / "rescued/b.json");
}

TEST(RepairFiles, DoesNothingInDirectoryWithoutPartialFiles) {
  const TemporaryFolder folder;
  EXPECT_TRUE(repair_files({folder.path()}).empty());
  EXPECT_TRUE(repair_files({}).empty());
}

constexpr std::string_view empty_file = R"({"type":"LBDatafile","phases":[]})";

TEST(RepairFiles, ExpectsOneValidDataSetIfNothingIsRepaired) {
  const TemporaryFolder folder;
  EXPECT_ERROR(expect_valid({folder.path()}, {}), bad_input, "contains no LB data files");
  folder.write("b.0.json", empty_file);
  expect_valid({folder.path()}, {});
  folder.write("b.0.json", R"({"metadata":{"rank":1,"type":"LBDatafile"},"phases":[]})");
  EXPECT_TRUE(repair_files({folder.path()}).empty());
  EXPECT_ERROR(expect_valid({folder.path()}, {}), bad_input,
               "contains errors that repair cannot correct; use plimsoll validate " + (folder / "b") +
                   " to list them");
  folder.write("a.0.json", empty_file);
  EXPECT_ERROR(expect_valid({folder.path()}, {}), usage, R"(contains 2 data sets: "a", "b")");
  EXPECT_ERROR(expect_valid({folder.path()}, {}), usage, "use plimsoll validate " + (folder / "a"));
}

TEST(RepairFiles, ExpectsValidDataSetsAfterRepairInPlace) {
  const TemporaryFolder folder;
  for (const char* name : {"a.0.json.partial", "b.0.json.partial", "x-0.txt.partial"})
    folder.write(name, cut_stream);
  const std::vector<RepairedFile> files = repair_files({folder.path()});
  expect_valid({folder.path()}, files);  // all data sets were repaired
  folder.write("b.2.json", empty_file);
  EXPECT_ERROR(expect_valid({folder.path()}, files), bad_input, "the file of rank 1 is missing");
  expect_valid({folder / "b.2.json"}, files);  // the other files were not to be repaired
}

TEST(RepairFiles, ExpectsValidCopy) {
  const TemporaryFolder folder, copy;
  folder.write("data.0.json", cut_stream);
  copy.write("other.1.json", "of another data set");
  const RepairOptions options = {.output = copy.path()};
  expect_valid({folder.path()}, repair_files({folder.path()}, options), options);
  folder.write("data.2.json", empty_file);
  const RepairOptions again = {.output = copy.path(), .overwrite = true};
  EXPECT_ERROR(expect_valid({folder.path()}, repair_files({folder.path()}, again), again), bad_input,
               "the file of rank 1 is missing");
}

}  // namespace
}  // namespace plimsoll::lbdata
