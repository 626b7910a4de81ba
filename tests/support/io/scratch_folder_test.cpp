#include <filesystem>

#include <plimsoll/support/scratch_folder.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::inline v0_1::support {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(ScratchFolder, ExistsAsLongAsTheObject) {
  const TemporaryFolder folder;
  {
    const ScratchFolder scratch(folder / "scratch");
    folder.write("scratch/file", "");
    EXPECT_TRUE(std::filesystem::is_directory(scratch.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ScratchFolder, BeginsEmpty) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "scratch");
  folder.write("scratch/file", "left by a killed program");
  const ScratchFolder scratch(folder / "scratch");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(ScratchFolder, RejectsMissingParent) {
  const TemporaryFolder folder;
  EXPECT_ERROR(ScratchFolder(folder / "missing/scratch"), system,
               "cannot create the directory: No such file");
}

}  // namespace
}  // namespace plimsoll::support
