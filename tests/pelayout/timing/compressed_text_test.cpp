#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/gzip_bytes.hpp"
#include "pelayout/timing/tar_bytes.hpp"
#include "pelayout/timing/tar_members.hpp"
#include "pelayout/timing/timing_formats.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::gzip_bytes;
using plimsoll::testing::TemporaryFolder;

std::string long_text() {
  std::string text;
  for (int k = 0; text.size() < 300'000; ++k) text += std::to_string(k * 7919) + '\n';
  return text;
}

TEST(GzipText, ReadsPlainFilesUnchanged) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_gzip_or_plain(folder.write("a.gz", "plain\r\n\x01")), "plain\r\n\x01");
  EXPECT_EQ(read_gzip_or_plain(folder.write("empty", "")), "");
  EXPECT_EQ(read_gzip_or_plain(folder.write("long", long_text())), long_text());
}

TEST(GzipText, DetectsGzipByContentAndReadsSeveralMembers) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_gzip_or_plain(folder.write("a.txt", gzip_bytes("text"))), "text");
  EXPECT_EQ(read_gzip_or_plain(folder.write("b", gzip_bytes(""))), "");
  EXPECT_EQ(read_gzip_or_plain(folder.write("c", gzip_bytes(long_text()))), long_text());
  EXPECT_EQ(read_gzip_or_plain(folder.write("d", gzip_bytes("one ") + gzip_bytes("two"))), "one two");
}

TEST(GzipText, RejectsFilesTruncatedAnywhere) {
  const TemporaryFolder folder;
  const std::string bytes = gzip_bytes("some text that is repeated, some text that is repeated");
  for (std::size_t size = 2; size < bytes.size(); ++size)
    EXPECT_ERROR(read_gzip_or_plain(folder.write("cut", bytes.substr(0, size))), bad_input, "truncated gzip");
}

TEST(GzipText, RejectsDamagedFiles) {
  const TemporaryFolder folder;
  std::string bytes = gzip_bytes(long_text());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  EXPECT_ERROR(read_gzip_or_plain(folder.write("damaged", bytes)), bad_input, "corrupt gzip");
  EXPECT_ERROR(read_gzip_or_plain(folder.write("more", gzip_bytes("text") + "garbage")), bad_input,
               "corrupt gzip");
  EXPECT_ERROR(read_gzip_or_plain(folder.write("bytes", "\x1f\x8b garbage instead of gzip")), bad_input,
               "corrupt gzip");
}

TEST(GzipText, LimitsSize) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  const std::string path = folder.write("text.gz", gzip_bytes(text));
  EXPECT_EQ(read_gzip_or_plain(path, text.size()).size(), text.size());
  EXPECT_ERROR(read_gzip_or_plain(path, text.size() - 1), bad_input, "contains more than 293.0 KiB of text");
  EXPECT_ERROR(read_gzip_or_plain(folder.write("plain", text), 100'000), bad_input, "of text");
}

TEST(GzipText, LimitsCompressionRatioOfLargeFiles) {
  const TemporaryFolder folder;
  const auto zeros = [&](std::size_t bytes) {
    return folder.write("zeros.gz", gzip_bytes(std::string(bytes, '0')));
  };
  EXPECT_EQ(read_gzip_or_plain(zeros(1 << 20)).size(), 1U << 20);
  EXPECT_ERROR(read_gzip_or_plain(zeros(8 << 20)), bad_input, "contains more than 1.8 MiB of text");
}

TEST(GzipText, RejectsDirectoriesPipesAndMissingFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_gzip_or_plain(folder.path()), bad_input, "is a directory");
  EXPECT_ERROR(read_gzip_or_plain(folder / "pipe"), bad_input, "pipe");
  EXPECT_ERROR(read_gzip_or_plain(folder / "absent"), system, "cannot open");
}

TEST(GzipText, ReadsStartOfBrokenFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_start_of_gzip_or_plain(folder.write("plain", long_text()), 100), long_text().substr(0, 100));
  const std::string bytes = gzip_bytes(long_text());
  EXPECT_EQ(read_start_of_gzip_or_plain(folder.write("whole", bytes), 100), long_text().substr(0, 100));
  EXPECT_EQ(read_start_of_gzip_or_plain(folder.write("cut", bytes.substr(0, bytes.size() / 2)), 100),
            long_text().substr(0, 100));
  std::string wrong_checksum = gzip_bytes(std::string(3000, 'a') + "the end");
  wrong_checksum[wrong_checksum.size() - 8] ^= 1;
  EXPECT_EQ(read_start_of_gzip_or_plain(folder.write("damaged", wrong_checksum), 4096).substr(0, 1000),
            std::string(1000, 'a'));
  EXPECT_EQ(read_start_of_gzip_or_plain(folder.write("short", "text"), 100), "text");
  EXPECT_EQ(read_start_of_gzip_or_plain(folder.write("broken", "\x1f\x8b garbage"), 100), "");
}

}  // namespace

namespace {

using plimsoll::testing::tar_bytes;
using plimsoll::testing::tar_header;
using plimsoll::testing::tar_member;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> members(const std::string& archive) {
  std::vector<std::pair<std::string, std::string>> found;
  for_each_tar_member(archive, "archive", [&](const std::string& name, std::string_view content) {
    found.emplace_back(name, content);
  });
  return found;
}

TEST(TarMembers, AreReadInOrder) {
  const std::string large(3000, 'x');
  EXPECT_THAT(members(tar_bytes({{"timing/a", "one"}, {"b", large}, {"c", ""}})),
              ElementsAre(Pair("timing/a", "one"), Pair("b", large), Pair("c", "")));
  EXPECT_THAT(members(tar_bytes({})), IsEmpty());
}

TEST(TarMembers, ExcludeDirectoriesAndLinks) {
  EXPECT_THAT(members(tar_header("timing/", 0, '5') + tar_header("passwords", 0, '2', "/etc/shadow") +
                      tar_header("pipe", 0, '6') + tar_bytes({{"timing/a", "one"}})),
              ElementsAre(Pair("timing/a", "one")));
}

// Paths are labels only: nothing is written.
TEST(TarMembers, KeepPathsAsPrintableLabels) {
  EXPECT_THAT(members(tar_bytes({{"../../etc/a", "1"}, {"/b", "2"}, {"\x1b[2Jc", "3"}})),
              ElementsAre(Pair("../../etc/a", "1"), Pair("/b", "2"), Pair("?[2Jc", "3")));
}

TEST(TarMembers, AreRejectedIfDamaged) {
  const std::string archive = tar_bytes({{"a", std::string(2000, 'x')}, {"b", "two"}});
  EXPECT_ERROR(members(archive.substr(0, 1500)), bad_input, "damaged archive");
  std::string changed = archive;
  changed[512 + 2048 + 3] = 'X';
  EXPECT_ERROR(members(changed), bad_input, "damaged archive");
}

TEST(TarMembers, AreLimitedInNumber) {
  std::string archive;
  for (std::size_t k = 0; k < max_members; ++k) archive += tar_header("a", 0);
  EXPECT_EQ(members(archive + std::string(1024, '\0')).size(), max_members);
  EXPECT_ERROR(members(archive + tar_header("a", 0) + std::string(1024, '\0')), bad_input,
               "more than 10000 files in the archive");
}

// A sparse file of GNU tar: one block of data at an offset of 1 GiB.
TEST(TarMembers, AreRejectedIfSparse) {
  std::string header = tar_header("large", 512, 'S');
  header.replace(257, 8, std::string("ustar  \0", 8));
  header.replace(386, 12, std::string("10000000000\0", 12));
  header.replace(398, 12, std::string("00000001000\0", 12));
  header.replace(483, 12, std::string("10000001000\0", 12));
  header.replace(148, 8, "        ");
  unsigned checksum = 0;
  for (const char byte : header) checksum += static_cast<unsigned char>(byte);
  header.replace(148, 8, fmt::format("{:06o}", checksum) + std::string("\0 ", 2));
  EXPECT_ERROR(members(header + std::string(512, 'x') + std::string(1024, '\0')), bad_input,
               "sparse file large");
}

TEST(TarMembers, AreRecognisedByMagic) {
  EXPECT_TRUE(is_tar(tar_member("a", "one")));
  EXPECT_FALSE(is_tar(tar_member("a", "one").substr(0, 200)));
  EXPECT_FALSE(is_tar(std::string(512, '\0')));
}

}  // namespace
}  // namespace plimsoll::pelayout
