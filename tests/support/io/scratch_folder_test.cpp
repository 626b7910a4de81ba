#include <cstdlib>
#include <filesystem>
#include <string>

#include <plimsoll/support/files.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
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

TEST(ScratchFolder, HasNewPrivateNameIfTemporary) {
  const ScratchFolder one = ScratchFolder::temporary();
  const ScratchFolder other = ScratchFolder::temporary();
  EXPECT_NE(one.path(), other.path());
  EXPECT_EQ(std::filesystem::status(one.path()).permissions(), std::filesystem::perms::owner_all);
}

TEST(ScratchFolder, RejectsMissingDirectoryForTemporaryFiles) {
  const char* const before = std::getenv("TMPDIR");
  const std::string restored = before == nullptr ? "/tmp" : before;
  ::setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_ERROR(ScratchFolder::temporary(), system, "cannot create a directory for temporary files");
  ::setenv("TMPDIR", restored.c_str(), 1);
}

TEST(ScratchFolder, RejectsMissingParent) {
  const TemporaryFolder folder;
  EXPECT_ERROR(ScratchFolder(folder / "missing/scratch"), system,
               "cannot create the directory: No such file");
}

}  // namespace
}  // namespace plimsoll::support
