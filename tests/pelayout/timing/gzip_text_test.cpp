#include "pelayout/timing/gzip_text.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/gzip_bytes.hpp"

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
}  // namespace plimsoll::pelayout
