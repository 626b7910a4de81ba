#include <filesystem>

#include <plimsoll/support/files.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(Folder, CreatesDirectoryWithParents) {
  const TemporaryFolder folder;
  make_folder(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  make_folder(folder / "a/b/d/");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/d"));
}

TEST(Folder, KeepsExistingDirectory) {
  const TemporaryFolder folder;
  folder.write("file", "content");
  make_folder(folder.path());
  EXPECT_EQ(folder.read("file"), "content");
  make_folder("");
}

TEST(Folder, RejectsPathOfExistingFile) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_ERROR(make_folder(folder / "file"), system,
               folder / "file: cannot create the directory: Not a directory");
  EXPECT_ERROR(make_folder(folder / "file/below"), system, "cannot create the directory: Not a directory");
}

TEST(Folder, ReportsMissingDirectoryWhenSyncing) {
  const TemporaryFolder folder;
  sync_folder(folder.path());
  EXPECT_ERROR(sync_folder(folder / "missing"), system,
               folder / "missing: cannot write the directory's entries to the disk");
}

}  // namespace
}  // namespace plimsoll::support
