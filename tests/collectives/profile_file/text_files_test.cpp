#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include <plimsoll/collectives/files.hpp>

#include "collectives/profile_text.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

namespace fs = std::filesystem;
using plimsoll::testing::numbers;
using plimsoll::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr const char* counts_name = "send-counters.job0.rank0.txt";
constexpr const char* profile_name = "collectives.job0.profile";

/// A directory with a profile of one call, as text and as a profile file.
class TextFilesOfProfile : public ::testing::Test {
 protected:
  TextFilesOfProfile() {
    profile_ = world_profile({sending(uniform(2, 5), "3")});
    write(profile_, folder_.path());
  }

  /// Returns the sum of the bytes that rank 0 sends, and sets the findings.
  std::int64_t sent() {
    ReadResult read = collectives::read({folder_.path()});
    findings_ = std::move(read.findings);
    const CountMatrix& matrix = read.profile.leads.at(0).signatures.at(0).send.matrix;
    return matrix.row(0)[0] + matrix.row(0)[1];
  }

  void replace_in(const std::string& name, const std::string& old, const std::string& replacement) {
    std::string text = folder_.read(name);
    text.replace(text.find(old), old.size(), replacement);
    folder_.write(name, text);
  }

  /// Makes the profile file contain other counts than the text files.
  void change_profile_file() {
    const TemporaryFolder other;
    Profile changed = profile_;
    changed.leads[0].signatures = {sending(uniform(2, 6), "3")};
    write(changed, other.path(), {.text = false});
    folder_.write(profile_name, other.read(profile_name));
  }

  TemporaryFolder folder_;
  Profile profile_;
  std::vector<Diagnostic> findings_;
};

TEST_F(TextFilesOfProfile, AreNotReadIfUnchanged) {
  EXPECT_EQ(sent(), 10);
  EXPECT_TRUE(findings_.empty());
  // Same size and time: the profile file is read.
  const auto time = fs::last_write_time(folder_ / counts_name);
  replace_in(counts_name, "5 5", "7 7");
  fs::last_write_time(folder_ / counts_name, time);
  EXPECT_EQ(sent(), 10);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(TextFilesOfProfile, AreReadIfChanged) {
  replace_in(counts_name, "5 5", "7 7");
  fs::last_write_time(folder_ / counts_name, fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(sent(), 14);
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_THAT(to_string(findings_[0]),
              HasSubstr(std::string("/") + profile_name + ": " + counts_name +
                        " has changed since this file was written; the text files are read instead"));
  EXPECT_EQ(findings_[0].severity, Severity::warning);
}

TEST_F(TextFilesOfProfile, MayGetOtherTimes) {
  for (const auto& file : fs::directory_iterator(folder_.path()))
    fs::last_write_time(file.path(), fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(sent(), 10);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(TextFilesOfProfile, AreReadIfOneIsMissing) {
  fs::remove(folder_ / "collectives.job0.json");
  EXPECT_EQ(sent(), 10);
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_THAT(to_string(findings_[0]),
              HasSubstr("collectives.job0.json is missing; the text files are read"));
}

TEST_F(TextFilesOfProfile, AreReadIfOneIsAdded) {
  folder_.write("alltoallv_execution_times.rank0_comm0_job0.md",
                "FORMAT_VERSION: 9\n\n# Call 3\n0.5\n0.5\n\n");
  EXPECT_EQ(collectives::read({folder_.path()}).profile.leads.at(0).execution_s.size(), 1u);
  sent();
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_THAT(to_string(findings_[0]), HasSubstr("contains other data of the same job"));
}

TEST_F(TextFilesOfProfile, MayBeMissing) {
  for (const auto& file : fs::directory_iterator(folder_.path()))
    if (file.path().filename() != profile_name) fs::remove(file.path());
  EXPECT_EQ(sent(), 10);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(TextFilesOfProfile, AreReadIfProfileFileIsDamaged) {
  std::string bytes = folder_.read(profile_name);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  folder_.write(profile_name, bytes);
  EXPECT_EQ(sent(), 10);
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].severity, Severity::error);
  EXPECT_TRUE(findings_[0].byte.has_value());
}

TEST_F(TextFilesOfProfile, LeaveDamagedProfileFileUnreadableIfMissing) {
  for (const auto& file : fs::directory_iterator(folder_.path()))
    if (file.path().filename() != profile_name) fs::remove(file.path());
  folder_.write(profile_name, folder_.read(profile_name).substr(0, 40));
  EXPECT_ERROR(collectives::read({folder_.path()}), bad_input, "the file ends within a block");
}

TEST_F(TextFilesOfProfile, AreReadAloneIfNamed) {
  change_profile_file();
  const ReadResult texts =
      collectives::read({folder_ / counts_name, folder_ / "recv-counters.job0.rank0.txt"});
  EXPECT_EQ(texts.profile.leads.at(0).signatures.at(0).send.matrix.counts.front(), 5);
  const ReadResult profile = collectives::read({folder_ / profile_name});
  EXPECT_EQ(profile.profile.leads.at(0).signatures.at(0).send.matrix.counts.front(), 6);
}

TEST_F(TextFilesOfProfile, AreReadOfOtherJobs) {
  Profile other = profile_;
  other.leads[0].job = 8;
  write(other, folder_.path(), {.text = false});
  fs::remove(folder_ / profile_name);
  const ReadResult read = collectives::read({folder_.path()});
  EXPECT_TRUE(read.findings.empty());
  ASSERT_EQ(read.profile.leads.size(), 2u);
  EXPECT_EQ(read.profile.leads[0].signatures.size(), 1u);
  EXPECT_EQ(read.profile.leads[1].signatures.size(), 1u);
}

TEST_F(TextFilesOfProfile, AreReplacedByProfileFileOnRequest) {
  EXPECT_ERROR(write(profile_, folder_.path(), {.text = false}), usage, "exists");
  const auto paths = write(profile_, folder_.path(), {.text = false, .overwrite = true});
  EXPECT_EQ(paths, std::vector{folder_ / profile_name});
  EXPECT_FALSE(folder_.has(counts_name));
  EXPECT_FALSE(folder_.has("collectives.job0.json"));
  EXPECT_EQ(sent(), 10);
}

TEST_F(TextFilesOfProfile, AreKeptWithoutProfileFileIfTimesAreAdded) {
  Profile times;
  lead_of(times, 0, 0).execution_s = {{alltoallv, 0, 2, {3}, {0.5, 0.25}}};
  write(times, folder_.path(), {.overwrite = true});
  EXPECT_FALSE(folder_.has(profile_name));
  EXPECT_EQ(sent(), 10);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(TextFilesOfProfile, RejectOptionsIfNotWritten) {
  for (const WriteOptions& options :
       {WriteOptions{.text = false, .compact = false}, WriteOptions{.text = false, .dotted_names = true},
        WriteOptions{.text = false, .legacy_text = true}})
    EXPECT_ERROR(write(profile_, folder_.path(), options), usage, "no text files");
}

TEST_F(TextFilesOfProfile, AreReadOnceFromTwoProfileFilesOfOneJob) {
  const TemporaryFolder other;
  write(profile_, other.path(), {.text = false});
  for (const auto& file : fs::directory_iterator(folder_.path()))
    if (file.path().filename() != profile_name) fs::remove(file.path());
  const ReadResult read = collectives::read({folder_.path(), other.path()});
  EXPECT_EQ(read.profile.leads.at(0).signatures.size(), 1u);
  ASSERT_EQ(read.findings.size(), 1u);
  EXPECT_THAT(to_string(read.findings[0]), HasSubstr("another file contains job 0 too; file skipped"));
}

}  // namespace
}  // namespace plimsoll::collectives
