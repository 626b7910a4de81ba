#include <sys/stat.h>

#include <plimsoll/support/files.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(TextFile, ReadsWholeFile) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 200000}) {
    std::string content(size, 'x');
    for (std::size_t k = 0; k < size; k += 7) content[k] = static_cast<char>(k);
    EXPECT_TRUE(read_text_file(folder.write("text", content)) == content) << size;
  }
}

TEST(TextFile, LimitsFileSize) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", std::string(1000, 'x'));
  EXPECT_EQ(read_text_file(path, 1000).size(), 1000U);
  EXPECT_ERROR(read_text_file(path, 999), bad_input, "is larger than 999 B");
}

TEST(TextFile, ReportsMissingAndSpecialFiles) {
  const TemporaryFolder folder;
  EXPECT_ERROR(read_text_file(folder / "none"), system, "No such file or directory");
  EXPECT_ERROR(read_text_file(folder.path()), bad_input, "is a directory");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_text_file(folder / "pipe"), bad_input, "is a pipe");
  EXPECT_ERROR(read_text_file("/dev/zero"), bad_input, "a device");
}

}  // namespace
}  // namespace plimsoll::support
