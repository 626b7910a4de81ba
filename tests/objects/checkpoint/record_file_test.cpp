#include <cstring>
#include <filesystem>
#include <string>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "objects/checkpoint/checkpoint_contents.hpp"
#include "objects/checkpoint/checkpoint_format.hpp"

namespace plimsoll::testing {
namespace {

using objects::RecordFile;
using objects::RecordFileReader;
using objects::checkpoint_format::FileSummary;
using objects::checkpoint_format::RecordHeader;

constexpr std::uint64_t id = 0x0123456789abcdef;
constexpr const char* file_name = "checkpoint.0123456789abcdef.3.records";

class RecordFiles : public ::testing::Test {
 protected:
  FileSummary write(const CheckpointContents& contents) const {
    RecordFile file(folder.path(), id, 3);
    add_all(file, contents);
    return file.close();
  }
  void read(const FileSummary& summary, CheckpointContents& result) const {
    RecordFileReader reader(folder.path(), id, 3, summary);
    while (const auto record = reader.next()) collect(*record, result);
  }
  CheckpointContents read(const FileSummary& summary) const {
    CheckpointContents result;
    read(summary, result);
    return result;
  }
  /// Expects an error for a file with this text, and that only true records are passed before.
  void expect_rejected(const std::string& text, const FileSummary& summary) const {
    folder.write(file_name, text);
    CheckpointContents passed;
    EXPECT_ERROR(read(summary, passed), bad_input, file_name);
    EXPECT_TRUE(is_part_of(passed, small));
  }

  TemporaryFolder folder;
  const CheckpointContents small{{{0, 5}, to_bytes("first")}, {{0, 6}, {}}, {{2, 1}, to_bytes("third one")}};
};

TEST_F(RecordFiles, ReturnsRecordsOfAllSizes) {
  CheckpointContents contents;
  for (const std::size_t bytes : {0UL, 1UL, 31UL, 4096UL, (1UL << 20) - 32, 1UL << 20, 5'000'001UL, 7UL})
    contents[{static_cast<std::uint32_t>(bytes % 3), bytes}] = state_of(bytes, bytes);
  EXPECT_EQ(read(write(contents)), contents);
}

TEST_F(RecordFiles, ContinuesAtEveryPlace) {
  const FileSummary summary = write(small);
  CheckpointContents contents;
  objects::checkpoint_format::FileSummary place;
  for (std::size_t k = 0; k < small.size(); ++k) {
    RecordFileReader reader(folder.path(), id, 3, summary, place);
    collect(reader.next().value(), contents);
    place = reader.place();
  }
  EXPECT_EQ(contents, small);
  EXPECT_FALSE(RecordFileReader(folder.path(), id, 3, summary, place).next());
}

TEST_F(RecordFiles, HasDocumentedLayout) {
  const FileSummary summary = write(small);
  EXPECT_EQ(summary.bytes, 24 + 3 * 32 + 5 + 0 + 9);
  EXPECT_EQ(summary.records, 3);
  const std::string text = folder.read(file_name);
  EXPECT_EQ(text.size(), summary.bytes);
  EXPECT_EQ(text.substr(0, 8), "PLCKRECS");
  EXPECT_EQ(text.substr(24 + 32, 5), "first");
  EXPECT_EQ(text.substr(text.size() - 9), "third one");
}

TEST_F(RecordFiles, DoesNotExistBeforeItIsComplete) {
  {
    RecordFile file(folder.path(), id, 3);
    add_all(file, small);
    EXPECT_FALSE(folder.has(file_name));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(RecordFiles, RejectsTruncationAtEveryByte) {
  const FileSummary summary = write(small);
  const std::string text = folder.read(file_name);
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    expect_rejected(text.substr(0, bytes), summary);
    FileSummary of_truncated = summary;
    of_truncated.bytes = bytes;
    expect_rejected(text.substr(0, bytes), of_truncated);
  }
  expect_rejected(text + "x", summary);
}

TEST_F(RecordFiles, RejectsEveryFlippedBit) {
  const FileSummary summary = write(small);
  const std::string text = folder.read(file_name);
  for (std::size_t byte = 0; byte < text.size(); ++byte)
    for (int bit = 0; bit < 8; ++bit) expect_rejected(flipped(text, byte, bit), summary);
}

TEST_F(RecordFiles, RejectsOmittedRepeatedAndReorderedRecords) {
  const FileSummary summary = write(small);
  const std::string text = folder.read(file_name);
  const std::string start = text.substr(0, 24);
  const std::string first = text.substr(24, 37);
  const std::string second = text.substr(61, 32);
  const std::string third = text.substr(93);
  expect_rejected(start + second + first + third, summary);
  const auto with = [&](std::uint64_t bytes, std::uint64_t records) {
    return FileSummary{bytes, records, summary.checksum};
  };
  expect_rejected(start + first + third, with(text.size() - second.size(), 2));
  expect_rejected(start + first + second, with(text.size() - third.size(), 2));
  expect_rejected(start + first + second + second + third, with(text.size() + second.size(), 4));
  expect_rejected(text, with(text.size(), 2));
  expect_rejected(text, with(text.size(), std::uint64_t{1} << 63));
}

TEST_F(RecordFiles, NeverAllocatesMoreThanFileContains) {
  const FileSummary summary = write(small);
  std::string text = folder.read(file_name);
  for (const std::uint64_t huge : {std::uint64_t{1} << 40, ~std::uint64_t{0}, summary.bytes - 24 - 31}) {
    std::memcpy(text.data() + 24 + offsetof(RecordHeader, bytes), &huge, sizeof huge);
    folder.write(file_name, text);
    EXPECT_ERROR(
        read(summary), bad_input,
        "(byte 56): needs " + std::to_string(huge) + " more bytes, but ends after 78; use an undamaged copy");
  }
}

TEST_F(RecordFiles, NamesFileOfAnotherCheckpoint) {
  const FileSummary summary = write(small);
  RecordFile other(folder.path(), id + 1, 3);
  other.close();
  std::filesystem::rename(other.path(), folder / file_name);
  EXPECT_ERROR(read(summary), bad_input,
               "contains file 3 of checkpoint 0123456789abcdf0: expected file 3 of 0123456789abcdef");
}

TEST_F(RecordFiles, NamesMissingFile) {
  EXPECT_ERROR(read({}), bad_input, "file of the checkpoint is missing");
  std::filesystem::create_directory(folder / file_name);
  EXPECT_ERROR(read({}), bad_input, "is a directory");
}

TEST_F(RecordFiles, NamesForeignVersionAndByteOrder) {
  const FileSummary summary = write(small);
  std::string text = folder.read(file_name);
  text[8] = 2;
  folder.write(file_name, text);
  EXPECT_ERROR(read(summary), bad_input, "has format version 2: expected 1; use the version of Plimsoll");
  folder.write(file_name, std::string("SCERKCLP") + text.substr(8));
  EXPECT_ERROR(read(summary), bad_input, "another byte order");
}

}  // namespace
}  // namespace plimsoll::testing
