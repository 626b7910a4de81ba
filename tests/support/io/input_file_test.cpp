#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include <plimsoll/support/files.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(OpenInputFile, OpensFilesForReading) {
  const TemporaryFolder folder;
  const Descriptor file = open_input_file(folder.write("a", "text"));
  std::array<char, 8> bytes{};
  EXPECT_EQ(::read(file.number(), bytes.data(), bytes.size()), 4);
  EXPECT_STREQ(bytes.data(), "text");
}

TEST(OpenInputFile, RejectsPathsThatAreNotFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(open_input_file(folder.path()), bad_input, "is a directory: expected a file");
  EXPECT_ERROR(open_input_file(folder / "pipe"), bad_input, "is a pipe, a device or a socket");
  EXPECT_ERROR(open_input_file("/dev/null"), bad_input, "is a pipe, a device or a socket");
  EXPECT_ERROR(open_input_file(folder / "absent"), system, "cannot open for reading");
}

}  // namespace
}  // namespace plimsoll::support
